// A buffer that is not needed any more gives its memory to the next one.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-plan-workspace | filecheck %s

// CHECK: func.func @k(%{{.*}}: memref<32xf32>, %[[W:.*]]: memref<256xi8> {llvm.noalias})
// CHECK-SAME: dycl.workspace = 256 : i64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[NEXT:.*]] = arith.constant 128 : index
// CHECK: memref.view %[[W]][%{{.*}}][] : memref<256xi8> to memref<32xf32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.dealloc
func.func @k(%x: memref<32xf32>) {
  %a = memref.alloc() : memref<32xf32>
  %b = memref.alloc() : memref<32xf32>
  memref.copy %x, %a : memref<32xf32> to memref<32xf32>
  memref.copy %a, %b : memref<32xf32> to memref<32xf32>
  memref.dealloc %a : memref<32xf32>
  %c = memref.alloc() : memref<32xf32>
  memref.copy %b, %c : memref<32xf32> to memref<32xf32>
  memref.dealloc %b : memref<32xf32>
  memref.copy %c, %x : memref<32xf32> to memref<32xf32>
  memref.dealloc %c : memref<32xf32>
  return
}
