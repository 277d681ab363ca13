// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// Inner loops are unrolled in each copy of the outer body.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.for
// CHECK-COUNT-4: dycl.binary add
// CHECK-NOT:     dycl.binary
// CHECK:         dycl.return
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 2 : i64
  %items = dycl.call %range(%n0)

  %y = dycl.for %i in %items carry(%a = %x) {
    %z = dycl.for %j in %items carry(%b = %a) {
      %c = dycl.binary add %b, %j
      dycl.yield %c
    }
    dycl.yield %z
  }
  dycl.return %y
}
