// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// Functions of torch are called, not inlined.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.call %f(%x)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.global<"torch.relu">
  %y = dycl.call %f(%x)
  dycl.return %y
}
