// The number of an element that is read for each channel is computed once.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fuse-elementwise | filecheck %s

// CHECK: linalg.generic
// CHECK: arith.addi
// CHECK: linalg.generic
// CHECK-NOT: arith.addi
// CHECK: tensor.extract
#row = affine_map<(c, p) -> (p)>
#all = affine_map<(c, p) -> (c, p)>
func.func @k(%t: tensor<8x90xf32>, %i: tensor<90xi64>, %j: tensor<90xi64>) -> tensor<8x90xf32> {
  %e = tensor.empty() : tensor<90xi64>
  %sum = linalg.generic {indexing_maps = [affine_map<(p) -> (p)>, affine_map<(p) -> (p)>,
      affine_map<(p) -> (p)>], iterator_types = ["parallel"]}
      ins(%i, %j : tensor<90xi64>, tensor<90xi64>) outs(%e : tensor<90xi64>) {
  ^bb0(%a: i64, %b: i64, %out: i64):
    %s = arith.addi %a, %b : i64
    linalg.yield %s : i64
  } -> tensor<90xi64>
  %w = tensor.empty() : tensor<8x90xi64>
  %wide = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<90xi64>) outs(%w : tensor<8x90xi64>) {
  ^bb0(%a: i64, %out: i64):
    linalg.yield %a : i64
  } -> tensor<8x90xi64>
  %f = tensor.empty() : tensor<8x90xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%wide : tensor<8x90xi64>) outs(%f : tensor<8x90xf32>) {
  ^bb0(%a: i64, %out: f32):
    %c = linalg.index 0 : index
    %at = arith.index_cast %a : i64 to index
    %x = tensor.extract %t[%c, %at] : tensor<8x90xf32>
    linalg.yield %x : f32
  } -> tensor<8x90xf32>
  return %y : tensor<8x90xf32>
}
