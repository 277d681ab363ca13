// REQUIRES: torch
// RUN: dycl-opt --dycl-expand-number-tensors %s | filecheck %s

// What torch can make now, it makes: nothing of it depends on the data.

// CHECK:      %y = dycl.call %tensor(%t)
// CHECK-NEXT: dycl.return %y
func.func @forward(%n: !torch.int) attributes {dycl.entry} {
  %tensor = dycl.constant #dycl.global<"torch.tensor">
  %zero = dycl.constant 0 : i64
  %t = dycl.tuple(%zero, %zero)
  %y = dycl.call %tensor(%t)
  dycl.return %y
}
