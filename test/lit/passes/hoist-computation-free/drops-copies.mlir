// RUN: dycl-opt --dycl-hoist-computation-free --dycl-eliminate-dead-code %s | filecheck %s
// RUN: dycl-opt --dycl-hoist-computation-free --dycl-hoist-computation-free --dycl-eliminate-dead-code %s | filecheck %s

// Copies, multiplications by one and comparisons of truths with one are what they copy;
// an `if` result that is the same on both sides is that value.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %one = torch.vtensor.literal
// CHECK-NEXT:    %zero = torch.constant.float 0.0
// CHECK-NEXT:    %y = torch.aten.relu %x
// CHECK-NEXT:    %g = torch.aten.gt.Scalar %y, %zero
// CHECK-NEXT:    dycl.return %y, %g, %one :
func.func @forward(%x: !torch.vtensor<[1,4],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %int1 = torch.constant.int 1
  %none = torch.constant.none
  %zero = torch.constant.float 0.0
  %y = torch.aten.relu %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  %c = torch.aten.clone %y, %none : !torch.vtensor<[1,4],f32>, !torch.none -> !torch.vtensor<[1,4],f32>
  %one = torch.vtensor.literal(dense<1.0> : tensor<1xf32>) : !torch.vtensor<[1],f32>
  %m = torch.aten.mul.Tensor %one, %c : !torch.vtensor<[1],f32>, !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  %g = torch.aten.gt.Scalar %m, %zero : !torch.vtensor<[1,4],f32>, !torch.float -> !torch.vtensor<[1,4],i1>
  %e = torch.aten.eq.Scalar %g, %int1 : !torch.vtensor<[1,4],i1>, !torch.int -> !torch.vtensor<[1,4],i1>
  %z, %o = dycl.if %p : !torch.bool -> (!torch.vtensor<[1,4],f32>, !torch.vtensor<[1],f32>) {
    %one_1 = torch.vtensor.literal(dense<1.0> : tensor<1xf32>) : !torch.vtensor<[1],f32>
    dycl.yield %y, %one_1 : (!torch.vtensor<[1,4],f32>, !torch.vtensor<[1],f32>) -> ()
  } else {
    dycl.yield %m, %one : (!torch.vtensor<[1,4],f32>, !torch.vtensor<[1],f32>) -> ()
  }
  dycl.return %z, %e, %o : (!torch.vtensor<[1,4],f32>, !torch.vtensor<[1,4],i1>, !torch.vtensor<[1],f32>) -> ()
}
