// RUN: dycl-opt --dycl-form-graph %s | filecheck %s

// Sizes of arguments, and what is computed of them alone, stand with the memory: a
// kernel takes such a number, a thread reads it in a slot. What a run computes of one is
// in a slot as ever, and so is a number that both decide.
// CHECK-LABEL: graph.func @f(%x: memref<1x?xf32>, %p: memref<i64>)
// CHECK-NEXT:    %n = dycl.dim %x 1 : (memref<1x?xf32>) -> i64
// CHECK-NEXT:    %two = dycl.constant 2 : i64 -> i64
// CHECK-NEXT:    %half = dycl.binary floordiv %n, %two : (i64, i64) -> i64
// CHECK:         %n_1 = graph.known %n : i64 -> memref<i64>
// CHECK-NEXT:    %more = host.alloc : memref<i64>
// CHECK:         graph.launch @k ins(%x, %half : memref<1x?xf32>, i64) outs(%y : memref<1x?xf32>)
// CHECK-NEXT:    graph.scalars {
// CHECK:           %n_2 = host.read %n_1 : memref<i64> -> i64
// CHECK-NEXT:      %more_1 = dycl.binary add %n_2, %read : (i64, i64) -> i64
// CHECK-NEXT:      graph.write %more_1 to %more : i64 -> memref<i64>
// CHECK:         graph.launch @k ins(%y, %more : memref<1x?xf32>, memref<i64>) outs(%z : memref<1x?xf32>)
host.func @f(%x: memref<1x?xf32>, %p: memref<i64>) params ["x", "p"] {
  %n = dycl.dim %x 1 : (memref<1x?xf32>) -> i64
  %two = dycl.constant 2 : i64 -> i64
  %half = dycl.binary floordiv %n, %two : (i64, i64) -> i64
  %y = host.alloc : memref<1x?xf32>
  host.launch @k ins(%x, %half : memref<1x?xf32>, i64) outs(%y : memref<1x?xf32>)
  %read = host.read %p : memref<i64> -> i64
  %more = dycl.binary add %n, %read : (i64, i64) -> i64
  %z = host.alloc : memref<1x?xf32>
  host.launch @k ins(%y, %more : memref<1x?xf32>, i64) outs(%z : memref<1x?xf32>)
  dycl.return %z : (memref<1x?xf32>) -> ()
}
