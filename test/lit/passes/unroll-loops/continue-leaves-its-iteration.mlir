// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// A `continue` leaves the scope of its iteration, whose values go to the next.

// CHECK-LABEL: func.func @forward
// CHECK:         [[A:%.*]] = dycl.scope "[[L:loop_[0-9]+_next]]" -> (!dycl.value) {
// CHECK-COUNT-2: dycl.leave "[[L]]"
// CHECK:         [[B:%.*]] = dycl.scope "[[L]]" -> (!dycl.value) {
// CHECK:           dycl.compare gt [[A]],
// CHECK:         dycl.return [[B]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 2 : i64
  %items = dycl.call %range(%n0)
  %y = dycl.for %i in %items carry(%a = %x) {
    %c = dycl.compare gt %a, %i
    dycl.if %c {
      dycl.continue %i
    }
    %b = dycl.binary add %a, %i
    dycl.yield %b
  }
  dycl.return %y
}
