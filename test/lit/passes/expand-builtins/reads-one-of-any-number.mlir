// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// The number of elements is tested when the network runs.

// CHECK:      %[[N:.+]] = dycl.invoke %x "numel"
// CHECK:      %[[P:.+]] = dycl.compare ne %[[N]]
// CHECK-NEXT: dycl.if %[[P]]
// CHECK-NEXT:   dycl.raise "builtins.RuntimeError"
// CHECK:      %[[E:.+]] = dycl.invoke %x "select"
// CHECK:      %y = dycl.invoke %[[E]] "item"
func.func @forward(%x: !torch.vtensor<[?],f32>) attributes {dycl.entry} {
  %y = dycl.invoke %x "item"() : (!torch.vtensor<[?],f32>) -> !dycl.value
  dycl.return %y
}
