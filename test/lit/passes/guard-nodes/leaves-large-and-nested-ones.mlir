// RUN: dycl-opt --dycl-guard-nodes="most=1" --verify-diagnostics %s | filecheck %s

// Two nodes in an arm, and a decision in one: the inner if is small.
// CHECK-LABEL: graph.func @f
// CHECK:         graph.if %c {
// CHECK-NEXT:      graph.copy %x to %y : memref<4xf32>
// CHECK-NEXT:      graph.copy %x to %y : memref<4xf32>
// CHECK-NEXT:    }
// CHECK:         graph.if %d {
// CHECK:           graph.copy %x to %y when %{{.*}} : memref<4xf32>
graph.func @f(%x: memref<4xf32>, %p: memref<i1>) params ["x", "p"] {
  %y = host.alloc : memref<4xf32>
  %c = graph.condition
  %d = graph.condition
  graph.scalars {
    %v = host.read %p : memref<i1> -> i1
    graph.set %c, %v
    graph.set %d, %v
  }
  // expected-remark@below {{kept as a conditional node: an arm holds 2 nodes, more than 1}}
  graph.if %c {
    graph.copy %x to %y : memref<4xf32>
    graph.copy %x to %y : memref<4xf32>
  }
  // expected-remark@below {{kept as a conditional node: an arm holds 3 nodes, more than 1}}
  graph.if %d {
    %e = graph.condition
    graph.scalars {
      %v = host.read %p : memref<i1> -> i1
      graph.set %e, %v
    }
    graph.if %e {
      graph.copy %x to %y : memref<4xf32>
    }
  }
  graph.return %y : memref<4xf32> as [#dycl.leaf<0>]
}
