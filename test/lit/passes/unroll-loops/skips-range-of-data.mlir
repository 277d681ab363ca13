// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// A bound of the range comes from the input.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.for
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %items = dycl.call %range(%x)
  %y = dycl.for %i in %items carry(%a = %x) {
    %b = dycl.binary add %a, %i
    dycl.yield %b
  }
  dycl.return %y
}
