// RUN: dycl-opt %s | dycl-opt --dycl-check-host | filecheck %s

// Lists of the host, and sizes that a run decides.

// CHECK:      %l = dycl.sequence(%x) : (memref<1x4xf32>) -> !dycl.sequence<memref<1x4xf32>>
// CHECK-NEXT: %a = dycl.append %l, %x : (!dycl.sequence<memref<1x4xf32>>, memref<1x4xf32>) -> !dycl.sequence<memref<1x4xf32>>
// CHECK-NEXT: %e = dycl.extend %l, %a
// CHECK-NEXT: %n = dycl.length %e : (!dycl.sequence<memref<1x4xf32>>) -> i64
// CHECK-NEXT: %t = dycl.take %e, %n, %n : (!dycl.sequence<memref<1x4xf32>>, i64, i64) -> !dycl.sequence<memref<1x4xf32>>
// CHECK-NEXT: %g = dycl.get %e[%n]
// CHECK-NEXT: %c = dycl.concat stack %e dim 0 : (!dycl.sequence<memref<1x4xf32>>) -> memref<?x1x4xf32>
// CHECK-NEXT: %d = dycl.dim %c 0 : (memref<?x1x4xf32>) -> i64
// CHECK-NEXT: %v = host.cast %x : memref<1x4xf32> -> memref<?x4xf32>
// CHECK-NEXT: %w = dycl.checked %v, %p "no" : (memref<?x4xf32>, i1) -> memref<?x4xf32>
host.func @forward(%x: memref<1x4xf32>, %p: i1) params ["x", "p"] {
  %l = dycl.sequence(%x) : (memref<1x4xf32>) -> !dycl.sequence<memref<1x4xf32>>
  %a = dycl.append %l, %x : (!dycl.sequence<memref<1x4xf32>>, memref<1x4xf32>) -> !dycl.sequence<memref<1x4xf32>>
  %e = dycl.extend %l, %a : (!dycl.sequence<memref<1x4xf32>>, !dycl.sequence<memref<1x4xf32>>) -> !dycl.sequence<memref<1x4xf32>>
  %n = dycl.length %e : (!dycl.sequence<memref<1x4xf32>>) -> i64
  %t = dycl.take %e, %n, %n : (!dycl.sequence<memref<1x4xf32>>, i64, i64) -> !dycl.sequence<memref<1x4xf32>>
  %g = dycl.get %e[%n] : (!dycl.sequence<memref<1x4xf32>>, i64) -> memref<1x4xf32>
  %c = dycl.concat stack %e dim 0 : (!dycl.sequence<memref<1x4xf32>>) -> memref<?x1x4xf32>
  %d = dycl.dim %c 0 : (memref<?x1x4xf32>) -> i64
  %v = host.cast %x : memref<1x4xf32> -> memref<?x4xf32>
  %w = dycl.checked %v, %p "no" : (memref<?x4xf32>, i1) -> memref<?x4xf32>
  dycl.return %w : (memref<?x4xf32>) -> ()
}
