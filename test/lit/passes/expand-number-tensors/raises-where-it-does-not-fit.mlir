// REQUIRES: torch
// RUN: dycl-opt --dycl-expand-number-tensors %s | filecheck %s

// An int that does not fit the dtype raises, before it is an element.

// CHECK:      %[[LOW:.*]] = dycl.constant -2147483648 : i64 -> !torch.int
// CHECK:      %[[ABOVE:.*]] = dycl.compare ge %n, %[[LOW]]
// CHECK:      %[[HIGH:.*]] = dycl.constant 2147483647 : i64 -> !torch.int
// CHECK:      %[[BELOW:.*]] = dycl.compare le %n, %[[HIGH]]
// CHECK-NEXT: %[[FITS:.*]] = dycl.select %[[ABOVE]], %[[BELOW]], %[[ABOVE]]
// CHECK-NEXT: %[[N:.*]] = dycl.checked %n, %[[FITS]] "value cannot be converted to type int32 without overflow"
// CHECK:      dycl.binary mul %{{.*}}, %[[N]]
func.func @forward(%n: !torch.int) attributes {dycl.entry} {
  %tensor = dycl.constant #dycl.global<"torch.tensor">
  %int32 = dycl.constant #dycl.global<"torch.int32">
  %y = dycl.call %tensor(%n, dtype = %int32) : (!dycl.value, !torch.int, !dycl.value) -> !dycl.value
  dycl.return %y
}
