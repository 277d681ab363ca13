// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s
// RUN: dycl-opt --dycl-unroll-loops %s > %t.once
// RUN: dycl-opt --dycl-unroll-loops --dycl-unroll-loops %s | diff %t.once -

// A second run finds nothing to do.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.scope
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 2 : i64
  %items = dycl.call %range(%n0)
  %y = dycl.for %i in %items carry(%a = %x) {
    %c = dycl.compare gt %a, %i
    dycl.if %c {
      dycl.break %i
    }
    %b = dycl.binary add %a, %i
    dycl.yield %b
  }
  dycl.return %y
}
