// RUN: dycl-opt %s | dycl-opt --dycl-check-host | filecheck %s

// Lists of the host, and sizes that a run decides.

// CHECK:      %l = host.list(%x : memref<1x4xf32>) -> !host.list<memref<1x4xf32>>
// CHECK-NEXT: %a = host.append %l, %x : (!host.list<memref<1x4xf32>>, memref<1x4xf32>) -> !host.list<memref<1x4xf32>>
// CHECK-NEXT: %e = host.extend %l, %a
// CHECK-NEXT: %n = host.length %e : !host.list<memref<1x4xf32>> -> i64
// CHECK-NEXT: %g = host.get %e[%n]
// CHECK-NEXT: %c = host.concat "stack" %e dim 0 : i64 : !host.list<memref<1x4xf32>> -> memref<?x1x4xf32>
// CHECK-NEXT: %d = dycl.dim %c 0 : (memref<?x1x4xf32>) -> i64
// CHECK-NEXT: %v = host.cast %x : memref<1x4xf32> -> memref<?x4xf32>
// CHECK-NEXT: %w = dycl.checked %v, %p "no" : (memref<?x4xf32>, i1) -> memref<?x4xf32>
host.func @forward(%x: memref<1x4xf32>, %p: i1) params ["x", "p"] {
  %l = host.list(%x : memref<1x4xf32>) -> !host.list<memref<1x4xf32>>
  %a = host.append %l, %x : (!host.list<memref<1x4xf32>>, memref<1x4xf32>) -> !host.list<memref<1x4xf32>>
  %e = host.extend %l, %a : (!host.list<memref<1x4xf32>>, !host.list<memref<1x4xf32>>) -> !host.list<memref<1x4xf32>>
  %n = host.length %e : !host.list<memref<1x4xf32>> -> i64
  %g = host.get %e[%n] : (!host.list<memref<1x4xf32>>, i64) -> memref<1x4xf32>
  %c = host.concat "stack" %e dim 0 : i64 : !host.list<memref<1x4xf32>> -> memref<?x1x4xf32>
  %d = dycl.dim %c 0 : (memref<?x1x4xf32>) -> i64
  %v = host.cast %x : memref<1x4xf32> -> memref<?x4xf32>
  %w = dycl.checked %v, %p "no" : (memref<?x4xf32>, i1) -> memref<?x4xf32>
  host.return %w : memref<?x4xf32>
}
