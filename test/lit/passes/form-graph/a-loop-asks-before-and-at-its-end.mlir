// RUN: dycl-opt --dycl-form-graph %s | filecheck %s

// The test is computed ahead of the loop, and anew at the end of its body. What the
// loop hands on is copied, a counter is in a slot, and `break` says no to the test.
// CHECK-LABEL: graph.func @f
// CHECK:         %0 = graph.condition
// CHECK-NEXT:    graph.scalars {
// CHECK:           graph.write %{{.*}} to %n : i64 -> memref<i64>
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.copy %x to %a : memref<4xf32>
// CHECK-NEXT:    graph.scalars {
// CHECK:           graph.record 0, %[[T:.*]]
// CHECK-NEXT:      graph.set %0, %[[T]]
// CHECK:         graph.while %0 {
// CHECK-NEXT:      graph.launch @k ins(%a, %n : memref<4xf32>, memref<i64>) outs(%{{.*}}, %p : memref<4xf32>, memref<i1>)
// CHECK:           graph.if %{{.*}} {
// CHECK:               %[[F:.*]] = dycl.constant false -> i1
// CHECK-NEXT:          graph.set %0, %[[F]]
// CHECK:           } else {
// CHECK:             graph.write %{{.*}} to %n : i64 -> memref<i64>
// CHECK:             graph.copy %{{.*}} to %a : memref<4xf32>
// CHECK:               graph.record 0, %[[U:.*]]
// CHECK-NEXT:          graph.set %0, %[[U]]
host.func @f(%x: memref<4xf32>) params ["x"] {
  %zero = dycl.constant 0 : i64 -> i64
  %r, %m = dycl.while carry(%a : memref<4xf32> = %x : memref<4xf32>, %n : i64 = %zero : i64) -> (memref<4xf32>, i64) {
    %five = dycl.constant 5 : i64 -> i64
    %t = dycl.compare lt %n, %five : (i64, i64) -> i1
    dycl.condition %t, %a, %n : (i1, memref<4xf32>, i64) -> ()
  } do(%b, %i) {
    %y = host.alloc : memref<4xf32>
    %p = host.alloc : memref<i1>
    host.launch @k ins(%b, %i : memref<4xf32>, i64) outs(%y, %p : memref<4xf32>, memref<i1>)
    %v = host.read %p : memref<i1> -> i1
    dycl.if %v : i1 {
      dycl.break %y, %i : (memref<4xf32>, i64) -> ()
    } {test = "p", name = "decision 2"}
    %one = dycl.constant 1 : i64 -> i64
    %next = dycl.binary add %i, %one : (i64, i64) -> i64
    %kept = host.keep %y : memref<4xf32> -> memref<4xf32>
    dycl.yield %kept, %next : (memref<4xf32>, i64) -> ()
  } {test = "n < 5", name = "loop 1"}
  dycl.return %r, %m : (memref<4xf32>, i64) -> ()
}
