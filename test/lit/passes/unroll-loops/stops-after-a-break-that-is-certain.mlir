// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// A body that always breaks is run once.

// CHECK-LABEL: func.func @forward
// CHECK-COUNT-1: dycl.binary
// CHECK-NOT:     dycl.binary
// CHECK:         dycl.return
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 3 : i64
  %items = dycl.call %range(%n0)

  %y = dycl.for %i in %items carry(%a = %x) {
    %b = dycl.binary add %a, %i
    dycl.break %b
  }
  dycl.return %y
}
