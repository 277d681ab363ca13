// RUN: dycl-opt --dycl-hoist-computation-free %s | filecheck %s

// What changes numbers, their order or the shape by broadcasting stays.

// CHECK-LABEL: func.func @forward
// CHECK:         %a = torch.aten.mul.Tensor %x, %ones
// CHECK-NEXT:    %b = torch.aten.transpose.int %a
// CHECK-NEXT:    %c = torch.aten.mul.Scalar %b, %int2
// CHECK-NEXT:    %d = torch.aten.dropout %c
// CHECK-NEXT:    dycl.return %d
func.func @forward(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry} {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %half = torch.constant.float 0.5
  %true = torch.constant.bool true
  %ones = torch.vtensor.literal(dense<1.0> : tensor<4x4xf32>) : !torch.vtensor<[4,4],f32>
  %a = torch.aten.mul.Tensor %x, %ones : !torch.vtensor<[1,4],f32>, !torch.vtensor<[4,4],f32> -> !torch.vtensor<[4,4],f32>
  %b = torch.aten.transpose.int %a, %int0, %int1 : !torch.vtensor<[4,4],f32>, !torch.int, !torch.int -> !torch.vtensor<[4,4],f32>
  %c = torch.aten.mul.Scalar %b, %int2 : !torch.vtensor<[4,4],f32>, !torch.int -> !torch.vtensor<[4,4],f32>
  %d = torch.aten.dropout %c, %half, %true : !torch.vtensor<[4,4],f32>, !torch.float, !torch.bool -> !torch.vtensor<[4,4],f32>
  dycl.return %d : (!torch.vtensor<[4,4],f32>) -> ()
}
