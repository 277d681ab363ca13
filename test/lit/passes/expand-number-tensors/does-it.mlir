// REQUIRES: torch
// RUN: dycl-opt --dycl-expand-number-tensors %s | filecheck %s
// RUN: dycl-opt --dycl-expand-number-tensors %s > %t.once
// RUN: dycl-opt --dycl-expand-number-tensors --dycl-expand-number-tensors %s | diff %t.once -

// Each number is multiplied by a tensor of one; the tensors are laid out in a row.

// CHECK:      %[[A:.*]] = dycl.binary mul %{{.*}}, %n
// CHECK:      %[[B:.*]] = dycl.binary mul %{{.*}}, %{{.*}}
// CHECK:      %[[T:.*]] = dycl.tuple(%[[A]], %[[B]])
// CHECK-NEXT: %y = dycl.call %{{.*}}(%[[T]])
// CHECK-NEXT: dycl.return %y
func.func @forward(%n: !torch.int) attributes {dycl.entry} {
  %tensor = dycl.constant #dycl.global<"torch.tensor">
  %zero = dycl.constant 0 : i64
  %t = dycl.tuple(%n, %zero) : (!torch.int, !dycl.value) -> !dycl.value
  %y = dycl.call %tensor(%t)
  dycl.return %y
}
