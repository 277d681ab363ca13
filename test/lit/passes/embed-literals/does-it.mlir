// RUN: dycl-opt --dycl-embed-literals %s | filecheck %s
// RUN: dycl-opt --dycl-embed-literals --dycl-embed-literals %s | filecheck %s
// RUN: dycl-opt --dycl-embed-literals="max-elements=1" %s | filecheck %s --check-prefix=FEW

// A literal that a kernel gets at every launch stands in the kernel. One that it gets
// at some launches only stays an argument, and so does one that is too large.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %b = torch.vtensor.literal
// CHECK-NEXT:    %y = dycl.launch @k(%x, %x)
// CHECK-NEXT:    %z = dycl.launch @k(%y, %b)
// CHECK:       func.func @k(%p: !torch.vtensor<[2],f32>, %q: !torch.vtensor<[2],f32>)
// CHECK-NEXT:    %r = torch.vtensor.literal(dense<[1.0{{.*}}, 2.0{{.*}}]>
// CHECK-NEXT:    %s = torch.aten.mul.Tensor %p, %r

// FEW:           dycl.launch @k(%x, %x, %a)
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %a = torch.vtensor.literal(dense<[1.0, 2.0]> : tensor<2xf32>) : !torch.vtensor<[2],f32>
  %b = torch.vtensor.literal(dense<[3.0, 4.0]> : tensor<2xf32>) : !torch.vtensor<[2],f32>
  %y = dycl.launch @k(%x, %x, %a) : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %z = dycl.launch @k(%y, %b, %a) : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %z : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%p: !torch.vtensor<[2],f32>, %q: !torch.vtensor<[2],f32>, %r: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %s = torch.aten.mul.Tensor %p, %r : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %t = torch.aten.mul.Tensor %s, %q : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %t : !torch.vtensor<[2],f32>
}
