// RUN: dycl-opt --dycl-form-switches %s | filecheck %s
// RUN: dycl-opt --dycl-form-switches="most-behind=1" %s 2>&1 | filecheck %s --check-prefix MANY

// The first arm returns, and what follows the rest is done by each of the others: where
// that is not too much.

// CHECK-NOT: graph.if
// CHECK:     graph.switch
// CHECK-NEXT:    graph.launch @k ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
// CHECK-NEXT:    graph.scalars {
// CHECK-NEXT:      graph.exit 0
// CHECK-NEXT:    }
// CHECK-NEXT:  } case {
// CHECK-NEXT:    graph.copy %x to %y
// CHECK-NEXT:    graph.launch @k ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
// CHECK-NEXT:    graph.scalars {
// CHECK-NEXT:      graph.exit 1
// CHECK-NEXT:    }
// CHECK-NEXT:  } case {
// CHECK-NEXT:    graph.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
// CHECK-NEXT:    graph.launch @k ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
// CHECK-NEXT:    graph.scalars {
// CHECK-NEXT:      graph.exit 1
// CHECK-NEXT:    }
// CHECK-NEXT:  }

// MANY-NOT: graph.switch
// MANY:     graph.if
// MANY-NOT: graph.switch
graph.func @f(%x: memref<4xf32>, %p: memref<i1>, %q: memref<i1>) params ["x", "p", "q"] {
  %a = host.alloc : memref<4xf32>
  %y = host.alloc : memref<4xf32>
  %z = host.alloc : memref<4xf32>
  %c = graph.condition
  graph.scalars {
    %v = host.read %p : memref<i1> -> i1
    graph.record 0, %v
    graph.set %c, %v
  }
  graph.if %c {
    graph.launch @k ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
    graph.scalars {
      graph.exit 0
    }
  } else {
    %d = graph.condition
    graph.scalars {
      %w = host.read %q : memref<i1> -> i1
      graph.record 1, %w
      graph.set %d, %w
    }
    graph.if %d {
      graph.copy %x to %y : memref<4xf32>
    } else {
      graph.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    }
    graph.launch @k ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
    graph.scalars {
      graph.exit 1
    }
  }
  graph.return %a, %z : memref<4xf32>, memref<4xf32> as [#dycl.leaf<0>, #dycl.leaf<1>]
}
