// RUN: dycl-opt --dycl-check-host --split-input-file --verify-diagnostics %s

// Conditions of the host are `i1`.

host.func @forward(%n: i64) params ["n"] {
  // expected-error@below {{the condition of dycl.if is an i1, not i64}}
  dycl.if %n : i64 {
    dycl.return %n : (i64) -> ()
  }
  dycl.return %n : (i64) -> ()
}

// -----

host.func @forward(%n: i64) params ["n"] {
  %r = dycl.while carry(%a : i64 = %n : i64) {
    // expected-error@below {{the condition of dycl.condition is an i1, not i64}}
    dycl.condition %a, %a : (i64, i64) -> ()
  } do(%b) {
    dycl.yield %b : (i64) -> ()
  }
  dycl.return %r : (i64) -> ()
}
