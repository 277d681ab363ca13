// RUN: dycl-opt %s | dycl-opt | filecheck %s

// Every op of a graph tree comes back as it was written.

// CHECK-LABEL: graph.func @forward(%x: memref<4xf32>, %n: memref<i64>) params ["x", "n"] {
graph.func @forward(%x: memref<4xf32>, %n: memref<i64>) params ["x", "n"] {
  %y = host.alloc {zero} : memref<4xf32>
  %p = host.alloc : memref<i1>
  // CHECK: graph.launch @k ins(%x, %n : memref<4xf32>, memref<i64>) outs(%y, %p : memref<4xf32>, memref<i1>)
  graph.launch @k ins(%x, %n : memref<4xf32>, memref<i64>) outs(%y, %p : memref<4xf32>, memref<i1>)
  // CHECK-NEXT: %c = graph.condition
  %c = graph.condition
  %d = graph.condition
  // CHECK: graph.scalars {
  graph.scalars {
    %v = host.read %p : memref<i1> -> i1
    // CHECK: graph.record 0, %v
    graph.record 0, %v
    // CHECK-NEXT: graph.record 1, %v when %v
    graph.record 1, %v when %v
    // CHECK-NEXT: graph.stop %v
    graph.stop %v
    // CHECK-NEXT: graph.set %c, %v
    graph.set %c, %v
    // CHECK-NEXT: graph.write %v to %p : i1 -> memref<i1>
    graph.write %v to %p : i1 -> memref<i1>
    // CHECK-NEXT: graph.exit 1 when %v
    graph.exit 1 when %v
    // CHECK-NEXT: }
  }
  // CHECK-NEXT: graph.if %c {
  graph.if %c {
    // CHECK-NEXT: graph.copy %x to %y when %p : memref<4xf32>
    graph.copy %x to %y when %p : memref<4xf32>
    // CHECK-NEXT: } else {
  } else {
    // CHECK-NEXT: graph.copy %x to %y unless %p : memref<4xf32>
    graph.copy %x to %y unless %p : memref<4xf32>
    // CHECK-NEXT: } {test = "x > 1", name = "block"}
  } {test = "x > 1", name = "block"}
  // CHECK-NEXT: graph.if %d {
  graph.if %d {
    // CHECK-NEXT: graph.scalars unless %p {
    graph.scalars unless %p {
      // CHECK-NEXT: graph.exit 0
      graph.exit 0
    }
    // CHECK-NEXT: }
  // CHECK-NEXT: }
  }
  %e = graph.condition
  // CHECK: graph.while %e {
  graph.while %e {
    // CHECK-NEXT: graph.launch @k ins() outs(%y : memref<4xf32>) when %p
    graph.launch @k ins() outs(%y : memref<4xf32>) when %p
  }
  // CHECK: graph.return %y, %n : memref<4xf32>, memref<i64> as [#dycl.leaf<0>, #dycl.tuple<[#dycl.leaf<1>]>] {numbers = [#builtin.int<1>]}
  graph.return %y, %n : memref<4xf32>, memref<i64> as [#dycl.leaf<0>, #dycl.tuple<[#dycl.leaf<1>]>] {numbers = [#builtin.int<1>]}
}

// What sizes decide stands with the memory.

// CHECK-LABEL: graph.func @sized(%x: memref<?xf32>) params ["x"] {
graph.func @sized(%x: memref<?xf32>) params ["x"] {
  // CHECK-NEXT: %n = dycl.dim %x 0 : (memref<?xf32>) -> i64
  %n = dycl.dim %x 0 : (memref<?xf32>) -> i64
  // CHECK-NEXT: %s = graph.known %n : i64 -> memref<i64>
  %s = graph.known %n : i64 -> memref<i64>
  %y = host.alloc : memref<?xf32>
  // CHECK: graph.launch @k ins(%x, %n : memref<?xf32>, i64) outs(%y : memref<?xf32>)
  graph.launch @k ins(%x, %n : memref<?xf32>, i64) outs(%y : memref<?xf32>)
  graph.return %y : memref<?xf32> as [#dycl.leaf<0>]
}
