// RUN: dycl-opt --dycl-unroll-loops=max-trip-count=2 %s | filecheck %s

// A loop over the limit stays.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.for
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 3 : i64
  %items = dycl.call %range(%n0)
  %y = dycl.for %i in %items carry(%a = %x) {
    %b = dycl.binary add %a, %i
    dycl.yield %b
  }
  dycl.return %y
}
