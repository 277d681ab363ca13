// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// All breaks of a loop leave the one scope around its iterations.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.scope "[[L:loop_[0-9]+]]" -> (!dycl.value) {
// CHECK-COUNT-3: dycl.leave "[[L]]"
// CHECK-NOT:     dycl.leave
// CHECK:         dycl.return %y
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
