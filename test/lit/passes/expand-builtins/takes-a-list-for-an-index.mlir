// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// CHECK:      %[[I:.+]] = dycl.concat index %l dim 0
// CHECK-NEXT: %y = dycl.subscript %x[%[[I]]]
// CHECK:      %[[J:.+]] = dycl.concat index %l dim 0
// CHECK-NEXT: %[[T:.+]] = dycl.tuple(%whole, %[[J]])
// CHECK-NEXT: %z = dycl.subscript %x[%[[T]]]
func.func @forward(%x: !torch.vtensor<[4,4],f32>, %l: !dycl.sequence<!torch.int>) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none
  %whole = dycl.slice(%none, %none, %none)
  %y = dycl.subscript %x[%l] : (!torch.vtensor<[4,4],f32>, !dycl.sequence<!torch.int>) -> !dycl.value
  %t = dycl.tuple(%whole, %l) : (!dycl.value, !dycl.sequence<!torch.int>) -> !dycl.value
  %z = dycl.subscript %x[%t] : (!torch.vtensor<[4,4],f32>, !dycl.value) -> !dycl.value
  dycl.return %y, %z
}
