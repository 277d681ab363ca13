// RUN: dycl-opt --dycl-form-graph %s | filecheck %s

// A return out of a loop says so in a slot, which what follows the loop asks.
// CHECK-LABEL: graph.func @f
// CHECK:         graph.write %{{.*}} to %way : i64 -> memref<i64>
// CHECK:         graph.while
// CHECK:           graph.exit 0
// CHECK:           graph.set
// CHECK:           graph.write %{{.*}} to %way : i64 -> memref<i64>
// CHECK:         name = "loop 1"}
// CHECK-NEXT:    %[[C:.*]] = graph.condition
// CHECK:           host.read %way
// CHECK:           graph.set %[[C]],
// CHECK:         graph.if %[[C]] {
// CHECK:           graph.exit 1
host.func @f(%x: memref<4xf32>) params ["x"] {
  dycl.while {
    %t = dycl.constant true -> i1
    dycl.condition %t : (i1) -> ()
  } do {
    %p = host.alloc : memref<i1>
    %q = host.alloc : memref<i1>
    host.launch @k ins(%x : memref<4xf32>) outs(%p, %q : memref<i1>, memref<i1>)
    %v = host.read %p : memref<i1> -> i1
    dycl.if %v : i1 {
      dycl.return %x : (memref<4xf32>) -> ()
    } {test = "p", name = "exit 1"}
    %w = host.read %q : memref<i1> -> i1
    dycl.if %w : i1 {
      dycl.break
    } {test = "q", name = "decision 2"}
    dycl.yield
  } {test = "True", name = "loop 1"}
  dycl.return
}
