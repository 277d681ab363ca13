// RUN: dycl-opt --split-input-file --verify-diagnostics %s

// Each op of a graph tree says in a sentence what is wrong with it.

graph.func @forward(%x: memref<2xf32>, %y: memref<3xf32>) params ["x", "y"] {
  %v = host.alloc : memref<i64>
  graph.scalars {
    %n = dycl.constant true -> i1
    // expected-error@below {{memref<i64> does not hold i1}}
    graph.write %n to %v : i1 -> memref<i64>
  }
  graph.return as [#dycl.none]
}

// -----

// expected-error@below {{graph.func has a name for each argument}}
graph.func @forward(%x: memref<2xf32>) params ["x", "y"] {
  graph.return as [#dycl.none]
}

// -----

graph.func @forward(%x: memref<?xf32>) params ["x"] {
  %n = dycl.dim %x 0 : (memref<?xf32>) -> i64
  // expected-error@below {{memref<i1> does not hold i64}}
  %s = graph.known %n : i64 -> memref<i1>
  graph.return as [#dycl.none]
}
