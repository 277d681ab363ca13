// A batch of single rows that all meet one weight has the blocks of so many rows.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls --target x86-64-v3 | filecheck %s

#repeat = affine_map<(d0, d1, d2) -> (d1, d2)>
#each = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: func.func @several
// CHECK: linalg.pack
// CHECK-SAME: inner_tiles = [16]
func.func @several(%x: tensor<64x1x32xf32>, %w: tensor<32x128xf32>, %i: tensor<64x1x128xf32>)
    -> tensor<64x1x128xf32> attributes {dycl.weights = array<i64: 1>} {
  %e = tensor.empty() : tensor<64x32x128xf32>
  %ws = linalg.generic {indexing_maps = [#repeat, #each],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<32x128xf32>) outs(%e : tensor<64x32x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<64x32x128xf32>
  %y = linalg.batch_matmul ins(%x, %ws : tensor<64x1x32xf32>, tensor<64x32x128xf32>)
    outs(%i : tensor<64x1x128xf32>) -> tensor<64x1x128xf32>
  return %y : tensor<64x1x128xf32>
}

// CHECK-LABEL: func.func @one
// CHECK: linalg.pack
// CHECK-SAME: inner_tiles = [64]
func.func @one(%x: tensor<1x32xf32>, %w: tensor<32x128xf32>, %i: tensor<1x128xf32>)
    -> tensor<1x128xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<1x32xf32>, tensor<32x128xf32>)
    outs(%i : tensor<1x128xf32>) -> tensor<1x128xf32>
  return %y : tensor<1x128xf32>
}
