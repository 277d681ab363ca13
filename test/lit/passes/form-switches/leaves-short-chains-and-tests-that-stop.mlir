// RUN: dycl-opt --dycl-form-switches --split-input-file --verify-diagnostics %s | filecheck %s

// Two arms are an if; so is one whose test would stop runs that do not get there, and
// one that something else is done ahead of.
// CHECK-NOT: graph.switch
graph.func @two(%x: memref<4xf32>, %p: memref<i1>) params ["x", "p"] {
  %c = graph.condition
  graph.scalars {
    %v = host.read %p : memref<i1> -> i1
    graph.set %c, %v
  }
  graph.if %c {
    graph.launch @a ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  } else {
    graph.launch @b ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  }
  graph.return as []
}

// -----

graph.func @stops(%x: memref<4xf32>, %p: memref<i1>, %n: memref<i64>) params ["x", "p", "n"] {
  %c = graph.condition
  graph.scalars {
    %v = host.read %p : memref<i1> -> i1
    graph.set %c, %v
  }
  // expected-remark@+1 {{kept as a chain of ifs: its tests are not all that is done between the arms}}
  graph.if %c {
    graph.launch @a ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  } else {
    %d = graph.condition
    graph.scalars {
      %i = host.read %n : memref<i64> -> i64
      %r = dycl.binary mod %i, %i : (i64, i64) -> i64
      %w = dycl.to_bool %r : (i64) -> i1
      graph.set %d, %w
    }
    graph.if %d {
      graph.launch @b ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
    }
  }
  graph.return as []
}

// -----

graph.func @computes(%x: memref<4xf32>, %p: memref<i1>) params ["x", "p"] {
  %c = graph.condition
  graph.scalars {
    %v = host.read %p : memref<i1> -> i1
    graph.set %c, %v
  }
  // expected-remark@+1 {{kept as a chain of ifs: its tests are not all that is done between the arms}}
  graph.if %c {
    graph.launch @a ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  } else {
    graph.launch @test ins(%x : memref<4xf32>) outs(%p : memref<i1>)
    %d = graph.condition
    graph.scalars {
      %w = host.read %p : memref<i1> -> i1
      graph.set %d, %w
    }
    graph.if %d {
      graph.launch @b ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
    }
  }
  graph.return as []
}

// -----

graph.func @long(%x: memref<4xf32>, %y: memref<4xf32>, %p: memref<i1>, %q: memref<i1>) params ["x", "y", "p", "q"] {
  %c = graph.condition
  graph.scalars {
    %v = host.read %p : memref<i1> -> i1
    graph.set %c, %v
  }
  // expected-remark@+1 {{kept as a chain of ifs: its tests are not all that is done between the arms}}
  graph.if %c {
    graph.launch @a ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  } else {
    %d = graph.condition
    graph.scalars {
      %w = host.read %q : memref<i1> -> i1
      graph.set %d, %w
    }
    graph.if %d {
      graph.launch @b ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    }
    graph.launch @b ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    graph.launch @b ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    graph.launch @b ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    graph.launch @b ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    graph.launch @b ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    graph.launch @b ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    graph.launch @b ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    graph.launch @b ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    graph.launch @b ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  }
  graph.return as []
}
