// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// `range(1, 6, 2)` is 1, 3, 5: neither start nor step is lost.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.call %range
// CHECK-NEXT:    dycl.constant 1 : i64
// CHECK:         dycl.constant 3 : i64
// CHECK:         dycl.constant 5 : i64
// CHECK-NOT:     dycl.constant
// CHECK:         dycl.return
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 1 : i64
  %n1 = dycl.constant 6 : i64
  %n2 = dycl.constant 2 : i64
  %items = dycl.call %range(%n0, %n1, %n2)
  %y = dycl.for %i in %items carry(%a = %x) {
    %b = dycl.binary add %a, %i
    dycl.yield %b
  }
  dycl.return %y
}
