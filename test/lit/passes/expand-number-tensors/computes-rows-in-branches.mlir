// REQUIRES: torch
// RUN: dycl-opt --dycl-expand-number-tensors %s | filecheck %s

// Rows within rows are laid out one after the other; a bool is an int first.

// CHECK:      dycl.if %p
// CHECK:        %[[N:.*]] = dycl.call %{{.*}}(%p)
// CHECK:        dycl.binary mul %{{.*}}, %[[N]]
// CHECK:        %[[Y:.*]] = dycl.invoke %{{.*}} "reshape"(%{{.*}})
// CHECK-NEXT:   dycl.yield %[[Y]]
func.func @forward(%n: !torch.int, %p: !torch.bool) attributes {dycl.entry} {
  %tensor = dycl.constant #dycl.global<"torch.tensor">
  %zero = dycl.constant 0 : i64
  %y = dycl.if %p : !torch.bool -> (!dycl.value) {
    %a = dycl.tuple(%n, %p) : (!torch.int, !torch.bool) -> !dycl.value
    %t = dycl.tuple(%a, %a)
    %z = dycl.call %tensor(%t)
    dycl.yield %z
  } else {
    dycl.yield %zero
  }
  dycl.return %y
}
