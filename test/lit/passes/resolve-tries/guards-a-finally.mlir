// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// The `finally` stands behind the `try`, and in a handler from which the exception goes
// on. A run that raises leaves the state as it was, so what is set there is not seen.

// CHECK:      func.func @forward
// CHECK-NEXT:   %m = dycl.constant @""
// CHECK-NEXT:   %y = dycl.call %m(%x)
// CHECK-NEXT:   dycl.setattr %m "a", %x
// CHECK-NEXT:   %r = dycl.try
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %s = dycl.try -> (!dycl.value) {
    %y = dycl.call %m(%x)
    dycl.yield %y
  } except "finally" {
    dycl.setattr %m "a", %x
    dycl.unreachable
  }
  dycl.setattr %m "a", %x
  %r = dycl.try -> (!dycl.value) {
    %y = dycl.call %m(%x)
    dycl.yield %y
  } except "finally" {
    dycl.effect "builtins.print"(%x)
    dycl.unreachable
  }
  dycl.return %r
}
dycl.object @"" "M" {}
