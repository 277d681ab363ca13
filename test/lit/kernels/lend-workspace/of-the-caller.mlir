// What one sample needs is in memory of the caller's, once for all samples.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-lend-workspace | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: %[[W:.*]] = memref.alloc() : memref<128xi8>
// CHECK: call @k.sample.0.all(%{{.*}}, %[[W]], %{{.*}}, %{{.*}})
// CHECK: memref.dealloc %[[W]]
// CHECK-LABEL: func.func private @k.sample.0(
// CHECK-SAME: memref<128xi8>
// CHECK-NOT: memref.alloc
// CHECK: func.func private @k.sample.0.all(memref<1xf32>, memref<128xi8>, index, index) attributes {dycl.steps = array<i64: 128, 0>}
func.func @k(%x: memref<1xf32>, %first: index, %n: index) {
  func.call @k.sample.0.all(%x, %first, %n) : (memref<1xf32>, index, index) -> ()
  return
}
func.func private @k.sample.0(%x: memref<1x32xf32>) attributes {dycl.sample} {
  %a = memref.alloc() : memref<1x32xf32>
  memref.copy %x, %a : memref<1x32xf32> to memref<1x32xf32>
  memref.copy %a, %x : memref<1x32xf32> to memref<1x32xf32>
  memref.dealloc %a : memref<1x32xf32>
  return
}
func.func private @k.sample.0.all(memref<1xf32>, index, index)
  attributes {dycl.steps = array<i64: 128>}
