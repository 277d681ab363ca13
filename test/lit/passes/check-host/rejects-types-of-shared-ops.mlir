// RUN: dycl-opt --dycl-check-host --split-input-file --verify-diagnostics %s

// The ops that the host shares with the levels before have types of the host there.

host.func @forward(%n: i64, %m: i64) params ["n", "m"] {
  // expected-error@below {{`is` has a meaning for None and bools only}}
  %c = dycl.compare is %n, %m : (i64, i64) -> i1
  dycl.return %c : (i1) -> ()
}

// -----

host.func @forward(%x: memref<2xf32>, %n: i64) params ["x", "n"] {
  // expected-error@below {{dycl.binary works on scalars, not on memref<2xf32>}}
  %y = dycl.binary add %x, %n : (memref<2xf32>, i64) -> memref<2xf32>
  dycl.return %y : (memref<2xf32>) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{the constant 1 : i64 is of type i64, not f64}}
  %c = dycl.constant 1 : i64 -> f64
  dycl.return %c : (f64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{the condition of dycl.select is an i1, not i64}}
  %s = dycl.select %n, %n, %n : (i64, i64, i64) -> i64
  dycl.return %s : (i64) -> ()
}

// -----

host.func @forward(%c: i1, %n: i64) params ["c", "n"] {
  // expected-error@below {{dycl.select joins values of one type, not i64, i1, i64}}
  %s = dycl.select %c, %n, %c : (i1, i64, i1) -> i64
  dycl.return %s : (i64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{dycl.to_bool gives i1, not i64}}
  %t = dycl.to_bool %n : (i64) -> i64
  dycl.return %t : (i64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  %none = dycl.constant #dycl.none -> !host.none
  // expected-error@below {{`-` needs numbers, not None}}
  %t = dycl.unary neg %none : (!host.none) -> !host.none
  dycl.return %t : (!host.none) -> ()
}

// -----

host.func @forward(%x: memref<2xf32>, %n: i64) params ["x", "n"] {
  // expected-error@below {{!dycl.sequence<memref<2xf32>> cannot hold i64}}
  %l = dycl.sequence(%x, %n) : (memref<2xf32>, i64) -> !dycl.sequence<memref<2xf32>>
  dycl.return %n : (i64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{dycl.length works on lists, not on i64}}
  %l = dycl.length %n : (i64) -> i64
  dycl.return %l : (i64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  %l = dycl.sequence(%n) : (i64) -> !dycl.sequence<i64>
  // expected-error@below {{dycl.concat cannot stack !dycl.sequence<i64>}}
  %s = dycl.concat stack %l dim 0 : (!dycl.sequence<i64>) -> memref<?xi64>
  dycl.return %s : (memref<?xi64>) -> ()
}

// -----

host.func @forward(%x: memref<2x2xf32>) params ["x"] {
  // expected-error@below {{memref<2x2xf32> is no !dycl.sequence<f64>}}
  %l = dycl.tolist %x : (memref<2x2xf32>) -> !dycl.sequence<f64>
  dycl.return %x : (memref<2x2xf32>) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{!dycl.sequence<!dycl.value> is no type of the host}}
  %l = dycl.sequence() : () -> !dycl.sequence<!dycl.value>
  dycl.return %n : (i64) -> ()
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{dycl.effect works on scalars, not on memref<2xf32>}}
  dycl.effect "builtins.print"(%x) : (memref<2xf32>) -> ()
  dycl.return %x : (memref<2xf32>) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{`@` needs tensors, which the host does not compute with}}
  %m = dycl.binary matmul %n, %n : (i64, i64) -> i64
  dycl.return %m : (i64) -> ()
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{memref<2xf32> has no dimension 1}}
  %n = dycl.dim %x 1 : (memref<2xf32>) -> i64
  dycl.return %n : (i64) -> ()
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  %l = dycl.sequence(%x) : (memref<2xf32>) -> !dycl.sequence<memref<2xf32>>
  // expected-error@below {{dycl.concat cannot cat !dycl.sequence<memref<2xf32>> along 1}}
  %s = dycl.concat cat %l dim 1 : (!dycl.sequence<memref<2xf32>>) -> memref<?xf32>
  dycl.return %s : (memref<?xf32>) -> ()
}
