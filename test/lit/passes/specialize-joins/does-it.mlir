// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// What depends on a value without one type goes into both branches; the rest stays.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.if %p : !torch.bool -> (!torch.float) {
// CHECK-NEXT:      %z = dycl.compare lt %p, %p
// CHECK-NEXT:      %y_1 = dycl.binary mul %n, %z
// CHECK-NEXT:      dycl.yield %y_1
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %z_1 = dycl.compare lt %p, %p
// CHECK-NEXT:      %y_2 = dycl.binary mul %f, %z_1
// CHECK-NEXT:      dycl.yield %y_2
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.return %y
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %n = dycl.constant 2 : i64
  %f = dycl.constant 2.5 : f64
  %h = dycl.if %p : !torch.bool -> (!dycl.value) {
    dycl.yield %n
  } else {
    dycl.yield %f
  }
  %z = dycl.compare lt %p, %p : (!torch.bool, !torch.bool) -> !torch.bool
  %y = dycl.binary mul %h, %z : (!dycl.value, !torch.bool) -> !torch.float
  dycl.return %y : (!torch.float) -> ()
}
