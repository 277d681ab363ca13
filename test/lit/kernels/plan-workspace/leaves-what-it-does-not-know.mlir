// A size that a run decides; a buffer that is not always freed where it is made; what
// prepares weights.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-plan-workspace | filecheck %s

// CHECK: func.func @open(%{{.*}}: memref<?xf32>, %{{.*}}: index) {
// CHECK: memref.alloc(
func.func @open(%x: memref<?xf32>, %n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return
}
// CHECK: func.func @sometimes(
// CHECK: memref.alloc()
func.func @sometimes(%x: memref<32xf32>, %c: i1) {
  %a = memref.alloc() : memref<32xf32>
  memref.copy %x, %a : memref<32xf32> to memref<32xf32>
  scf.if %c {
    memref.dealloc %a : memref<32xf32>
  }
  return
}
// CHECK: func.func @k_prepare(
// CHECK: memref.alloc()
func.func @k_prepare(%x: memref<32xf32>) attributes {dycl.prepares = array<i64: 0>} {
  %a = memref.alloc() : memref<32xf32>
  memref.copy %x, %a : memref<32xf32> to memref<32xf32>
  memref.copy %a, %x : memref<32xf32> to memref<32xf32>
  memref.dealloc %a : memref<32xf32>
  return
}
