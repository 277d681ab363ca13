// RUN: dycl-opt --dycl-share-kernels %s | filecheck %s
// RUN: dycl-opt --dycl-share-kernels --dycl-share-kernels %s | filecheck %s

// Kernels that differ in names only become the first of them; a different constant or
// shape makes another kernel.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %a = dycl.launch @k(%x)
// CHECK-NEXT:    dycl.if %p : !torch.bool {
// CHECK-NEXT:      %b = dycl.launch @k(%a)
// CHECK:         %c = dycl.launch @other(%a)
// CHECK:       func.func @k(
// CHECK-NOT:   func.func @k_1
// CHECK:       func.func @other(
func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %a = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.if %p : !torch.bool {
    %b = dycl.launch @k_1(%a) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    dycl.return %b : (!torch.vtensor<[2],f32>) -> ()
  }
  %c = dycl.launch @other(%a) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %c : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %int2 = torch.constant.int 2
  %y = torch.aten.mul.Scalar %x, %int2 : !torch.vtensor<[2],f32>, !torch.int -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
func.func @k_1(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %two = torch.constant.int 2
  %b = torch.aten.mul.Scalar %a, %two : !torch.vtensor<[2],f32>, !torch.int -> !torch.vtensor<[2],f32>
  func.return %b : !torch.vtensor<[2],f32>
}
func.func @other(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %int3 = torch.constant.int 3
  %y = torch.aten.mul.Scalar %x, %int3 : !torch.vtensor<[2],f32>, !torch.int -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
