// The sum of a reduction may be reordered; what the user wrote is rounded as IEEE says.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-allow-fma | filecheck %s

// CHECK: arith.mulf %{{.*}} fastmath<contract>
// CHECK: arith.addf %{{.*}} fastmath<reassoc,contract>
// CHECK: arith.mulf %arg2, %arg2 : f32
// CHECK: arith.addf %{{[0-9a-z_]+}}, %arg2 : f32
// CHECK: arith.divf %{{[0-9a-z_]+}}, %arg2 : f32
func.func @k(%x: memref<8xf32>, %o: memref<f32>, %a: f32) -> f32 {
  linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<8xf32>) outs(%o : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.mulf %in, %in : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  }
  %m = arith.mulf %a, %a : f32
  %t = arith.addf %m, %a : f32
  %q = arith.divf %t, %a : f32
  return %q : f32
}
