// A buffer of at most 64 bytes may be kept in registers; the kernel takes no workspace.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-plan-workspace | filecheck %s

// CHECK: func.func @k(%{{.*}}: memref<16xf32>) {
// CHECK-NEXT: memref.alloca() : memref<16xf32>
// CHECK-NOT: memref.dealloc
func.func @k(%x: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32>
  memref.copy %a, %x : memref<16xf32> to memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  return
}
