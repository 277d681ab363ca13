// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// An early return in a loop needs no scope.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.scope
// CHECK-COUNT-3: dycl.return
// CHECK-NOT:     dycl.return
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 2 : i64
  %items = dycl.call %range(%n0)
  %y = dycl.for %i in %items carry(%a = %x) {
    %c = dycl.compare gt %a, %i
    dycl.if %c {
      dycl.return %i
    }
    %b = dycl.binary add %a, %i
    dycl.yield %b
  }
  dycl.return %y
}
