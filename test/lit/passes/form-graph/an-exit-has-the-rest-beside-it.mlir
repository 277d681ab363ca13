// RUN: dycl-opt --dycl-form-graph %s | filecheck %s

// What follows an early return stands in the other arm.
// CHECK-LABEL: graph.func @f
// CHECK:         graph.launch @k ins(%x : memref<4xf32>) outs(%y, %p : memref<4xf32>, memref<i1>)
// CHECK-NEXT:    %0 = graph.condition
// CHECK-NEXT:    graph.scalars {
// CHECK-NEXT:      %v = host.read %p : memref<i1> -> i1
// CHECK-NEXT:      graph.record 0, %v
// CHECK-NEXT:      graph.set %0, %v
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.if %0 {
// CHECK-NEXT:      graph.scalars {
// CHECK-NEXT:        graph.exit 0
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK-NEXT:      graph.launch @k2 ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
// CHECK-NEXT:      graph.scalars {
// CHECK-NEXT:        graph.exit 1
// CHECK-NEXT:      }
// CHECK-NEXT:    } {test = "p", name = "exit 1"}
// CHECK-NEXT:    graph.return %y, %z : memref<4xf32>, memref<4xf32> as [#dycl.leaf<0>, #dycl.tuple<[#dycl.leaf<1>, 2 : i64]>]
host.func @f(%x: memref<4xf32>) params ["x"] {
  %y = host.alloc : memref<4xf32>
  %p = host.alloc : memref<i1>
  host.launch @k ins(%x : memref<4xf32>) outs(%y, %p : memref<4xf32>, memref<i1>)
  %v = host.read %p : memref<i1> -> i1
  dycl.if %v : i1 {
    dycl.return %y : (memref<4xf32>) -> ()
  } {test = "p", name = "exit 1"}
  %z = host.alloc : memref<4xf32>
  host.launch @k2 ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
  %two = dycl.constant 2 : i64 -> i64
  dycl.return %z, %two : (memref<4xf32>, i64) -> ()
}
