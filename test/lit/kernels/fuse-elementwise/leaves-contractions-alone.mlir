// Two elementwise ops become one; the marked op that reads them stays as it is.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fuse-elementwise | filecheck %s

// CHECK: %[[B:.*]] = linalg.generic
// CHECK: arith.negf
// CHECK-NEXT: math.absf
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[B]] : tensor<8xf32>)
// CHECK-SAME: dycl.nest
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.addf
#id = affine_map<(a) -> (a)>
func.func @k(%x: tensor<8xf32>, %i: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = math.absf %in : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  %c = linalg.generic {dycl.nest = "pool",
      indexing_maps = [#id, affine_map<(a) -> ()>], iterator_types = ["reduction"]}
      ins(%b : tensor<8xf32>) outs(%i : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.addf %out, %in : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %c : tensor<f32>
}
