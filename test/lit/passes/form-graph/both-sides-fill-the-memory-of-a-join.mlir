// RUN: dycl-opt --dycl-form-graph %s | filecheck %s

// A launch fills the join itself, what is there already is copied.
// CHECK-LABEL: graph.func @f
// CHECK:         graph.if %{{.*}} {
// CHECK-NEXT:      graph.launch @k ins(%x : memref<4xf32>) outs(%j : memref<4xf32>)
// CHECK-NEXT:    } else {
// CHECK-NEXT:      graph.copy %x to %j : memref<4xf32>
// CHECK-NEXT:    } {test = "n", name = "decision 1"}
// CHECK:         graph.return %j : memref<4xf32> as [#dycl.leaf<0>]
host.func @f(%x: memref<4xf32>, %n: i1) params ["x", "n"] {
  %j = dycl.if %n : i1 -> (memref<4xf32>) {
    %y = host.alloc : memref<4xf32>
    host.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    dycl.yield %y : (memref<4xf32>) -> ()
  } else {
    dycl.yield %x : (memref<4xf32>) -> ()
  } {test = "n", name = "decision 1"}
  dycl.return %j : (memref<4xf32>) -> ()
}
