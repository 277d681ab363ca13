// Each trip uses the same memory; what lives around the loop keeps its own.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-plan-workspace,canonicalize | filecheck %s

// CHECK: func.func @k(%{{.*}}: memref<32xf32>, %[[W:.*]]: memref<256xi8> {llvm.noalias})
// CHECK: memref.view %[[W]][%c0][]
// CHECK: scf.for
// CHECK: memref.view %[[W]][%c128][]
// CHECK-NOT: memref.alloc
func.func @k(%x: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %a = memref.alloc() : memref<32xf32>
  memref.copy %x, %a : memref<32xf32> to memref<32xf32>
  scf.for %i = %c0 to %c9 step %c1 {
    %b = memref.alloc() : memref<32xf32>
    memref.copy %a, %b : memref<32xf32> to memref<32xf32>
    memref.copy %b, %x : memref<32xf32> to memref<32xf32>
    memref.dealloc %b : memref<32xf32>
  }
  memref.dealloc %a : memref<32xf32>
  return
}
