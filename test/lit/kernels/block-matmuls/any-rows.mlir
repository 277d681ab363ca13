// A run may decide how many rows there are, and how many products are summed up.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls --target x86-64-v4 | filecheck %s

// CHECK-LABEL: func.func @rows
// CHECK: linalg.pack
// CHECK-SAME: inner_tiles = [64]
// CHECK: dycl.nest = "matmul"
func.func @rows(%x: tensor<?x32xf32>, %w: tensor<32x100xf32>, %i: tensor<?x100xf32>)
    -> tensor<?x100xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<?x32xf32>, tensor<32x100xf32>)
    outs(%i : tensor<?x100xf32>) -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}

// CHECK-LABEL: func.func @columns
// CHECK: linalg.matmul
func.func @columns(%x: tensor<4x32xf32>, %w: tensor<32x?xf32>, %i: tensor<4x?xf32>)
    -> tensor<4x?xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<4x32xf32>, tensor<32x?xf32>)
    outs(%i : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @sum
// CHECK: dycl.nest = "matmul"
func.func @sum(%x: tensor<4x?xf32>, %w: tensor<?x100xf32>, %i: tensor<4x100xf32>)
    -> tensor<4x100xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<4x?xf32>, tensor<?x100xf32>)
    outs(%i : tensor<4x100xf32>) -> tensor<4x100xf32>
  return %y : tensor<4x100xf32>
}

// Single rows that all meet one weight are its rows.
// CHECK-LABEL: func.func @single
// CHECK: linalg.pack
// CHECK-SAME: inner_tiles = [64]
// CHECK: dycl.nest = "matmul"
#repeat = affine_map<(d0, d1, d2) -> (d1, d2)>
#each = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @single(%x: tensor<?x1x32xf32>, %w: tensor<32x100xf32>, %i: tensor<?x1x100xf32>, %e: tensor<?x32x100xf32>)
    -> tensor<?x1x100xf32> attributes {dycl.weights = array<i64: 1>} {
  %ws = linalg.generic {indexing_maps = [#repeat, #each],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<32x100xf32>) outs(%e : tensor<?x32x100xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?x32x100xf32>
  %y = linalg.batch_matmul ins(%x, %ws : tensor<?x1x32xf32>, tensor<?x32x100xf32>)
    outs(%i : tensor<?x1x100xf32>) -> tensor<?x1x100xf32>
  return %y : tensor<?x1x100xf32>
}

// Another matrix is multiplied sample by sample.
// CHECK-LABEL: func.func @other
// CHECK: linalg.batch_matmul
func.func @other(%x: tensor<?x1x32xf32>, %w: tensor<32x100xf32>, %i: tensor<?x1x100xf32>, %e: tensor<?x32x100xf32>)
    -> tensor<?x1x100xf32> {
  %ws = linalg.generic {indexing_maps = [#repeat, #each],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<32x100xf32>) outs(%e : tensor<?x32x100xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?x32x100xf32>
  %y = linalg.batch_matmul ins(%x, %ws : tensor<?x1x32xf32>, tensor<?x32x100xf32>)
    outs(%i : tensor<?x1x100xf32>) -> tensor<?x1x100xf32>
  return %y : tensor<?x1x100xf32>
}
