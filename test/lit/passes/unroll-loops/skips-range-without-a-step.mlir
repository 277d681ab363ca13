// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// `range(0, 3, 0)` raises in Python: it is left for the run.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.for
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 0 : i64
  %n1 = dycl.constant 3 : i64
  %n2 = dycl.constant 0 : i64
  %items = dycl.call %range(%n0, %n1, %n2)
  %y = dycl.for %i in %items carry(%a = %x) {
    %b = dycl.binary add %a, %i
    dycl.yield %b
  }
  dycl.return %y
}
