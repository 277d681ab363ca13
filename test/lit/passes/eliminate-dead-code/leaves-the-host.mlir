// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s
// RUN: dycl-opt --dycl-eliminate-dead-code %s | dycl-opt --dycl-check-host

// On the host a value has memory: one that only a `break` gives is not unbound there.

// CHECK-LABEL: host.func
// CHECK-NOT:     dycl.unbound
// CHECK:         dycl.return
host.func @forward(%n: i64, %c: i1) params ["n", "c"] {
  %true = dycl.constant true -> i1
  %y = dycl.while carry(%a : i64 = %n : i64) {
    dycl.condition %true, %a : (i1, i64) -> ()
  } do(%b) {
    %k = dycl.binary add %n, %n : (i64, i64) -> i64
    dycl.if %c : i1 {
      dycl.break %k : (i64) -> ()
    }
    dycl.yield %k : (i64) -> ()
  }
  dycl.return %y : (i64) -> ()
}
