// RUN: dycl-opt --dycl-hoist-computation-free %s | filecheck %s

// CHECK:      func.func @forward
// CHECK-NEXT:   %one = torch.vtensor.literal
// CHECK-NEXT:   dycl.while
// CHECK-NOT:    torch.vtensor.literal
func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %y = dycl.while carry(%a : !torch.vtensor<[2],f32> = %x : !torch.vtensor<[2],f32>) {
    dycl.condition %p, %a : (!torch.bool, !torch.vtensor<[2],f32>) -> ()
  } do(%b) {
    %one = torch.vtensor.literal(dense<1.0> : tensor<2xf32>) : !torch.vtensor<[2],f32>
    %c = torch.aten.mul.Tensor %b, %b : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
    %d = torch.aten.maximum %c, %one : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
    dycl.yield %d : (!torch.vtensor<[2],f32>) -> ()
  }
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
