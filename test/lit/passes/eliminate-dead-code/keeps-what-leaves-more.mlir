// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// A scope that may leave the one around it does something, though it gives nothing and
// computes nothing; one that only leaves itself does not.

// CHECK:      dycl.scope "a"
// CHECK-NEXT:   dycl.scope "b" {
// CHECK-NEXT:     dycl.if %p {
// CHECK-NEXT:       dycl.leave "a" %one
// CHECK-NEXT:     }
// CHECK-NEXT:     dycl.leave "b"
// CHECK-NEXT:   }
// CHECK-NEXT:   dycl.leave "a" %two
func.func @forward(%p: !dycl.value) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %two = dycl.constant 2 : i64
  %r = dycl.scope "a" -> (!dycl.value) {
    dycl.scope "b" {
      dycl.if %p {
        dycl.leave "a" %one
      }
      dycl.leave "b"
    }
    dycl.scope "c" {
      dycl.if %p {
        dycl.leave "c"
      }
      dycl.leave "c"
    }
    dycl.leave "a" %two
  }
  dycl.return %r
}
