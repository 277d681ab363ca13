// Three trips may be unrolled.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-loops | filecheck %s

// CHECK: scf.for
// CHECK-NOT: loop_annotation
func.func @k(%x: memref<64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 3 : index
  scf.for %j = %c0 to %n step %c1 {
    memref.store %v, %x[%j] : memref<64xf32>
  }
  return
}
