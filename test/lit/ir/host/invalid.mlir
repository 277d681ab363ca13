// RUN: dycl-opt --split-input-file --verify-diagnostics %s

// Each op of the host says in a sentence what is wrong with it.

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{host.read needs one element, memref<2xf32> has more}}
  %n = host.read %x : memref<2xf32> -> f64
  dycl.return %n : (f64) -> ()
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{memref<2xf32> cannot be seen as memref<3xf32>}}
  %y = host.view %x : memref<2xf32> -> memref<3xf32>
  dycl.return %y : (memref<3xf32>) -> ()
}

// -----

host.func @forward(%c: i1, %n: i64) params ["c", "n"] {
  // expected-error@below {{the else branch yields (), but dycl.if returns (i64)}}
  %r = dycl.if %c : i1 -> (i64) {
    dycl.yield %n : (i64) -> ()
  }
  dycl.return %r : (i64) -> ()
}

// -----

// expected-error@below {{host.func names 0 params for 1 arguments}}
host.func @forward(%n: i64) params [] {
  dycl.return %n : (i64) -> ()
}

// -----

host.func @forward(%c: i1, %n: i64) params ["c", "n"] {
  // expected-error@below {{the body yields (i1), but dycl.while returns (i64)}}
  %r = dycl.while carry(%a : i64 = %n : i64) {
    dycl.condition %c, %a : (i1, i64) -> ()
  } do(%b) {
    dycl.yield %c : (i1) -> ()
  }
  dycl.return %r : (i64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{"net.TooLarge" is not a builtin exception: say which one may stand in for it}}
  dycl.raise "net.TooLarge"(%n) : (i64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{there is no scope "loop" around dycl.leave}}
  dycl.leave "loop" %n : (i64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  %r = dycl.scope "call" -> (f64) {
    // expected-error@below {{dycl.leave "call" gives (i64), but (f64) is wanted}}
    dycl.leave "call" %n : (i64) -> ()
  }
  dycl.return %r : (f64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{there is no loop around dycl.break}}
  dycl.break %n : (i64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{the structure has leaf 1, but dycl.return has 1 operands}}
  dycl.return %n {structure = #dycl.tuple<[#dycl.leaf<0>, #dycl.leaf<1>]>} : (i64) -> ()
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{memref<2xf32> cannot be cast to memref<?x?xf32>}}
  %y = host.cast %x : memref<2xf32> -> memref<?x?xf32>
  dycl.return %y : (memref<?x?xf32>) -> ()
}
