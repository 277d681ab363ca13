// RUN: dycl-opt --dycl-form-switches %s | filecheck %s
// RUN: dycl-opt --dycl-form-switches --dycl-form-switches %s | filecheck %s

// All tests are computed by one thread; a decision is noted if the chain would have got
// there. What follows an inner if is at the end of each of its arms.
// CHECK-LABEL: graph.func @f
// CHECK:         graph.scalars {
// CHECK:           graph.record 0, %v
// CHECK:           %[[M:.*]] = dycl.unary not %v
// CHECK:           graph.record 1, %w when %[[M]]
// CHECK:           %[[N:.*]] = dycl.unary not %w
// CHECK-NEXT:      %[[B:.*]] = dycl.binary and %[[M]], %[[N]]
// CHECK:           graph.record 2, %u when %[[B]]
// CHECK:           graph.set %[[C:.*]], %{{.*}} : i64
// CHECK-NEXT:    }
// CHECK-NEXT:    graph.switch %[[C]] case {
// CHECK-NEXT:      graph.launch @a
// CHECK-NEXT:    } case {
// CHECK-NEXT:      graph.launch @b
// CHECK-NEXT:      graph.copy %z to %y
// CHECK-NEXT:    } case {
// CHECK-NEXT:      graph.copy %x to %z
// CHECK-NEXT:      graph.copy %z to %y
// CHECK-NEXT:    } case {
// CHECK-NEXT:      graph.copy %z to %y
// CHECK-NEXT:    } {test = "i == 0", name = "decision 1"}
graph.func @f(%x: memref<4xf32>, %p: memref<i1>, %q: memref<i1>) params ["x", "p", "q"] {
  %y = host.alloc : memref<4xf32>
  %z = host.alloc : memref<4xf32>
  %c = graph.condition
  graph.scalars {
    %v = host.read %p : memref<i1> -> i1
    graph.record 0, %v
    graph.set %c, %v
  }
  graph.if %c {
    graph.launch @a ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  } else {
    %d = graph.condition
    graph.scalars {
      %w = host.read %q : memref<i1> -> i1
      graph.record 1, %w
      graph.set %d, %w
    }
    graph.if %d {
      graph.launch @b ins(%x : memref<4xf32>) outs(%z : memref<4xf32>)
    } else {
      %e = graph.condition
      graph.scalars {
        %u = host.read %p : memref<i1> -> i1
        graph.record 2, %u
        graph.set %e, %u
      }
      graph.if %e {
        graph.copy %x to %z : memref<4xf32>
      }
    }
    graph.copy %z to %y : memref<4xf32>
  } {test = "i == 0", name = "decision 1"}
  graph.return %y : memref<4xf32> as [#dycl.leaf<0>]
}
