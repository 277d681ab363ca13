// An odd number of summands, columns that fill no vector, and f32 stay as they are.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls,cpu-pair-halves | filecheck %s

// CHECK-NOT: pair
#same = affine_map<(m, n) -> (m, n)>
func.func @odd(%x: tensor<8x63xbf16>, %w: tensor<63x96xbf16>, %i: tensor<8x96xf32>)
    -> tensor<8x96xf32> {
  %xe = tensor.empty() : tensor<8x63xf32>
  %xw = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x63xbf16>) outs(%xe : tensor<8x63xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<8x63xf32>
  %we = tensor.empty() : tensor<63x96xf32>
  %ww = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<63x96xbf16>) outs(%we : tensor<63x96xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<63x96xf32>
  %y = linalg.matmul ins(%xw, %ww : tensor<8x63xf32>, tensor<63x96xf32>)
      outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}
func.func @columns(%x: tensor<8x64xbf16>, %w: tensor<64x9xbf16>, %i: tensor<8x9xf32>)
    -> tensor<8x9xf32> {
  %xe = tensor.empty() : tensor<8x64xf32>
  %xw = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xbf16>) outs(%xe : tensor<8x64xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  %we = tensor.empty() : tensor<64x9xf32>
  %ww = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64x9xbf16>) outs(%we : tensor<64x9xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %v = arith.extf %a : bf16 to f32
    linalg.yield %v : f32
  } -> tensor<64x9xf32>
  %y = linalg.matmul ins(%xw, %ww : tensor<8x64xf32>, tensor<64x9xf32>)
      outs(%i : tensor<8x9xf32>) -> tensor<8x9xf32>
  return %y : tensor<8x9xf32>
}
func.func @floats(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %i: tensor<8x96xf32>)
    -> tensor<8x96xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>)
      outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}
