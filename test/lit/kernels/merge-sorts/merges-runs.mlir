// Five elements take three rounds: runs of one, two and four, then the way back.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-merge-sorts | filecheck %s

// CHECK-NOT: tm_tensor.sort
// CHECK: %[[T:.*]] = memref.alloc() : memref<3x5xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.load %arg0
// CHECK: arith.cmpf oge
// CHECK: memref.store {{.*}}, %[[T]]
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.store {{.*}}, %arg0
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.store {{.*}}, %[[T]]
// CHECK: memref.load %[[T]]
// CHECK-NEXT: memref.store {{.*}}, %arg0
func.func @k(%x: memref<3x5xf32>) {
  tm_tensor.sort dimension(1) outs(%x : memref<3x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %s : i1
  }
  return
}
