// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// A `break` means the nearest loop.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.scope "[[A:loop_[0-9]+]]" {
// CHECK:         dycl.call %x
// CHECK:         dycl.scope "[[B:loop_[0-9]+_1]]" {
// CHECK:         dycl.call %x
// CHECK:         dycl.return %x
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 2 : i64
  %items = dycl.call %range(%n0)

  dycl.for %i in %items {
    dycl.for %j in %items {
      %c = dycl.compare gt %x, %j
      dycl.if %c {
        dycl.break
      }
      dycl.yield
    }
    dycl.call %x(%i)
  }
  dycl.return %x
}
