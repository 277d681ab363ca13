// A row of 32 stays a loop.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-loops | filecheck %s

// CHECK: scf.for
// CHECK: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
func.func @k(%x: memref<64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 32 : index
  scf.for %j = %c0 to %n step %c1 {
    memref.store %v, %x[%j] : memref<64xf32>
  }
  return
}
