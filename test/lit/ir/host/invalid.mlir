// RUN: dycl-opt --split-input-file --verify-diagnostics %s

// Each op of the host says in a sentence what is wrong with it.

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{host.read needs one element, memref<2xf32> has more}}
  %n = host.read %x : memref<2xf32> -> f64
  host.return %n : f64
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{memref<2xf32> cannot be seen as memref<3xf32>}}
  %y = host.view %x : memref<2xf32> -> memref<3xf32>
  host.return %y : memref<3xf32>
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{there is no scope "loop" around host.leave}}
  host.leave "loop" %n : i64
}

// -----

host.func @forward(%n: i64) params ["n"] {
  %r = host.scope "call" -> (f64) {
    // expected-error@below {{host.leave "call" gives (i64), but host.scope returns (f64)}}
    host.leave "call" %n : i64
  }
  host.return %r : f64
}

// -----

host.func @forward(%c: i1, %n: i64) params ["c", "n"] {
  // expected-error@below {{the else branch gives (), but host.if returns (i64)}}
  %r = host.if %c -> (i64) {
    host.yield %n : i64
  }
  host.return %r : i64
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{the structure has leaf 1, but host.return has 1 operands}}
  host.return %n : i64 {structure = #dycl.tuple<[#dycl.leaf<0>, #dycl.leaf<1>]>}
}

// -----

// expected-error@below {{host.func names 0 params for 1 arguments}}
host.func @forward(%n: i64) params [] {
  host.return %n : i64
}

// -----

host.func @forward(%c: i1, %n: i64) params ["c", "n"] {
  // expected-error@below {{what host.while is given by its body is (i1), but host.while returns (i64)}}
  %r = host.while carry(%a : i64 = %n : i64) {
    host.condition %c, %a : i64
  } do(%b) {
    host.yield %c : i1
  }
  host.return %r : i64
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{there is no loop around host.break}}
  host.break %n : i64
}

// -----

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{"net.TooLarge" is no builtin exception: say which one may stand in for it}}
  dycl.raise "net.TooLarge"(%n) : (i64) -> ()
}
