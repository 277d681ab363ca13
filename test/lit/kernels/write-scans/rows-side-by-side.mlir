// Eight rows at a time, and the two that are left one by one; along columns it stays.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-scans,canonicalize | filecheck %s

// CHECK:         memref.load %arg0[%c{{.*}}, %c0]
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (f64, f64, f64, f64, f64, f64, f64, f64) {
// CHECK-COUNT-8:   arith.addf
// CHECK-COUNT-8:   memref.store {{.*}} : memref<10x9xf32>
// CHECK-COUNT-8: memref.store {{.*}} : memref<10xf32>
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (f64) {
// CHECK:         tm_tensor.scan dimension(0)
func.func @k(%x: memref<10x9xf32>, %y: memref<10x9xf32>, %a: memref<10xf32>, %z: memref<10x9xf32>, %b: memref<9xf32>) {
  tm_tensor.scan dimension(1) inclusive(true) ins(%x : memref<10x9xf32>) outs(%y, %a : memref<10x9xf32>, memref<10xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tm_tensor.yield %s : f32
  }
  tm_tensor.scan dimension(0) inclusive(true) ins(%x : memref<10x9xf32>) outs(%z, %b : memref<10x9xf32>, memref<9xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tm_tensor.yield %s : f32
  }
  return
}
