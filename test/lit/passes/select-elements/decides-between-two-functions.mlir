// RUN: dycl-opt --dycl-select-elements %s | filecheck %s

// An `if` chose the function; the call is a decision on the same predicate.

// CHECK:         %y = dycl.if %p -> (!dycl.value) {
// CHECK-NEXT:      dycl.constant #dycl.global<"torch.relu">
// CHECK-NEXT:      dycl.call
// CHECK:         } else {
// CHECK-NEXT:      dycl.constant #dycl.global<"torch.tanh">
// CHECK:         {test = "x > 0"}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %a = dycl.constant #dycl.global<"torch.relu">
  %b = dycl.constant #dycl.global<"torch.tanh">
  %f = dycl.select %p, %a, %b {test = "x > 0"}
  %y = dycl.call %f(%x)
  dycl.return %y
}
