// RUN: dycl-opt --dycl-guard-nodes %s | filecheck %s
// RUN: dycl-opt --dycl-guard-nodes --dycl-guard-nodes %s | filecheck %s

// CHECK-LABEL: graph.func @f
// CHECK:         graph.scalars {
// CHECK-NEXT:      %v = host.read %p : memref<i1> -> i1
// CHECK-NEXT:      graph.write %v to %[[G:.*]] : i1 -> memref<i1>
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) when %[[G]]
// CHECK-NEXT:    graph.copy %x to %y unless %[[G]] : memref<4xf32>
// CHECK-NEXT:    graph.scalars unless %[[G]] {
// CHECK-NEXT:      graph.exit 1
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.return
graph.func @f(%x: memref<4xf32>, %p: memref<i1>) params ["x", "p"] {
  %y = host.alloc : memref<4xf32>
  %c = graph.condition
  graph.scalars {
    %v = host.read %p : memref<i1> -> i1
    graph.set %c, %v
  }
  graph.if %c {
    graph.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  } else {
    graph.copy %x to %y : memref<4xf32>
    graph.scalars {
      graph.exit 1
    }
  }
  graph.return %y : memref<4xf32> as [#dycl.leaf<0>]
}
