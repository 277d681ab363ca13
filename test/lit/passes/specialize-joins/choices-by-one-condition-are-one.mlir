// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// Two choices by one condition have two paths between them, not four.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p : !torch.bool {
// CHECK-NEXT:      %y = dycl.tuple(%one, %a)
// CHECK-NEXT:      dycl.return %y
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %y_1 = dycl.tuple(%none, %none)
// CHECK-NEXT:      dycl.return %y_1
// CHECK-NEXT:    } {test = "p"}
// CHECK-NEXT:    dycl.unreachable
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %a = dycl.constant "a"
  %none = dycl.constant #dycl.none
  %g = dycl.select %p, %one, %none {test = "p"} : (!torch.bool, !dycl.value, !dycl.value) -> !dycl.value
  %h = dycl.select %p, %a, %none {test = "p"} : (!torch.bool, !dycl.value, !dycl.value) -> !dycl.value
  %y = dycl.tuple(%g, %h)
  dycl.return %y
}
