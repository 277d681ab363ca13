// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// A list of bools is a mask.

// CHECK-NOT: concat
func.func @forward(%x: !torch.vtensor<[4,4],f32>, %l: !dycl.sequence<!torch.bool>) attributes {dycl.entry} {
  %y = dycl.subscript %x[%l] : (!torch.vtensor<[4,4],f32>, !dycl.sequence<!torch.bool>) -> !dycl.value
  dycl.return %y
}
