// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// A choice between a text and nothing: each path returns its own.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p : !torch.bool {
// CHECK-NEXT:      dycl.return %a
// CHECK-NEXT:    } else {
// CHECK-NEXT:      dycl.return %b
// CHECK-NEXT:    } {test = "p"}
// CHECK-NEXT:    dycl.unreachable
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %a = dycl.constant "a"
  %b = dycl.constant #dycl.none
  %h = dycl.select %p, %a, %b {test = "p"} : (!torch.bool, !dycl.value, !dycl.value) -> !dycl.value
  dycl.return %h
}
