// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// The inner value is what the outer branch gives: the inner paths leave for it.

// CHECK-LABEL: func.func @forward
// CHECK:         %h = dycl.scope "join" -> (!dycl.value) {
// CHECK-NEXT:      dycl.if %p : !torch.bool {
// CHECK-NEXT:        dycl.if %q : !torch.bool {
// CHECK-NEXT:          dycl.leave "join" %n
// CHECK-NEXT:        } else {
// CHECK-NEXT:          dycl.leave "join" %f
// CHECK-NEXT:        }
// CHECK-NEXT:        dycl.unreachable
// CHECK-NEXT:      } else {
// CHECK-NEXT:        dycl.leave "join" %f
// CHECK-NEXT:      }
// CHECK-NEXT:      dycl.unreachable
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = dycl.tuple(%h)
func.func @forward(%p: !torch.bool, %q: !torch.bool) attributes {dycl.entry} {
  %n = dycl.constant 2 : i64
  %f = dycl.constant 2.5 : f64
  %h = dycl.if %p : !torch.bool -> (!dycl.value) {
    %g = dycl.if %q : !torch.bool -> (!dycl.value) {
      dycl.yield %n
    } else {
      dycl.yield %f
    }
    dycl.yield %g
  } else {
    dycl.yield %f
  }
  %y = dycl.tuple(%h)
  dycl.return %y
}
