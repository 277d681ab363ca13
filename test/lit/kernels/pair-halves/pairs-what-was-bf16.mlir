// A weight is prepared in pairs, another matrix is woven; rows are read as they are.
// REQUIRES: torch-mlir, avx512_bf16
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls,cpu-pair-halves | filecheck %s
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls,cpu-pair-halves --target x86-64-v4 | filecheck %s --check-prefix=WIDE

// CHECK: func.func @weight(%[[X:.*]]: tensor<8x64xbf16>
// CHECK: %[[B:.*]] = linalg.pack
// CHECK: tensor.expand_shape %[[B]]
// CHECK: dycl.prepared
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %{{.*}} : tensor<8x64xbf16>, tensor<2x32x48x2xi16>)
// CHECK-SAME: dycl.nest = "matmul-pairs"

// CHECK: func.func @inputs(%[[X:.*]]: tensor<8x64xbf16>, %[[W:.*]]: tensor<64x96xbf16>
// CHECK: = linalg.generic {{.*}} ins(%[[W]] : {{.*}} outs({{.*}}2x32x48x2xbf16>) {{.*}} "pair"}
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %{{.*}} : tensor<8x64xbf16>, tensor<2x32x48x2xbf16>)
// CHECK-SAME: dycl.nest = "matmul-pairs"

// WIDE-NOT: pair
#same = affine_map<(m, n) -> (m, n)>
func.func @weight(%x: tensor<8x64xbf16>, %w: tensor<64x96xbf16>, %i: tensor<8x96xf32>)
    -> tensor<8x96xf32> attributes {dycl.weights = array<i64: 1>} {
  %xe = tensor.empty() : tensor<8x64xf32>
  %xw = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xbf16>) outs(%xe : tensor<8x64xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  %we = tensor.empty() : tensor<64x96xf32>
  %ww = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64x96xbf16>) outs(%we : tensor<64x96xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<64x96xf32>
  %y = linalg.matmul ins(%xw, %ww : tensor<8x64xf32>, tensor<64x96xf32>)
      outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}
func.func @inputs(%x: tensor<8x64xbf16>, %w: tensor<64x96xbf16>, %i: tensor<8x96xf32>)
    -> tensor<8x96xf32> {
  %xe = tensor.empty() : tensor<8x64xf32>
  %xw = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xbf16>) outs(%xe : tensor<8x64xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  %we = tensor.empty() : tensor<64x96xf32>
  %ww = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64x96xbf16>) outs(%we : tensor<64x96xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<64x96xf32>
  %y = linalg.matmul ins(%xw, %ww : tensor<8x64xf32>, tensor<64x96xf32>)
      outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}
