// An argument without elements has a pointer type; who names it gets no bytes.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-empty-arguments | filecheck %s

// CHECK: func.func @k(%{{.*}}: memref<1x4xf32>, %{{.*}}: memref<0xf32>, %{{.*}}: memref<0xi64>)
// CHECK-NEXT: %[[EMPTY:.*]] = memref.alloca() : memref<1x0xf32>
// CHECK: memref.copy %[[EMPTY]]
func.func @k(%x: memref<1x4xf32>, %y: memref<1x0xf32>, %z: memref<4x0x2xi64>) {
  %0 = memref.alloc() : memref<1x0xf32>
  memref.copy %y, %0 : memref<1x0xf32> to memref<1x0xf32>
  return
}
