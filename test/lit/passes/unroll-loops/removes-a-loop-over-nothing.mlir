// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// A loop without iterations hands on what it was given.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.for
// CHECK-NOT:     dycl.binary
// CHECK:         dycl.return %x
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 0 : i64
  %items = dycl.call %range(%n0)
  %y = dycl.for %i in %items carry(%a = %x) {
    %b = dycl.binary add %a, %i
    dycl.yield %b
  }
  dycl.return %y
}
