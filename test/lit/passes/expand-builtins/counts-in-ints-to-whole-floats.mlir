// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// Of a fraction nothing is known.

// CHECK:      %a = dycl.call %{{.+}}(%{{.+}}, %n, dtype = %{{.+}})
// CHECK:      %b = dycl.call %{{.+}}(%half, %n)
// CHECK-NEXT: dycl.return %a, %b
func.func @forward(%n: !torch.int) attributes {dycl.entry} {
  %arange = dycl.constant #dycl.global<"torch.arange">
  %zero = dycl.constant 0.0 : f64
  %half = dycl.constant 0.5 : f64
  %a = dycl.call %arange(%zero, %n) : (!dycl.value, !dycl.value, !torch.int) -> !dycl.value
  %b = dycl.call %arange(%half, %n) : (!dycl.value, !dycl.value, !torch.int) -> !dycl.value
  dycl.return %a, %b
}
