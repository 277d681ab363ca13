// RUN: dycl-opt --dycl-merge-backend-regions --verify-diagnostics %s | filecheck %s

// Neither pattern could run first: the kernel is not parted.

// CHECK-LABEL: func.func @k(
// CHECK-NOT:     dycl.region
// CHECK-NOT:     dycl.backend
// CHECK-NOT:     dycl.composite
// CHECK:         func.return
// expected-remark@below {{not parted: parts of it would wait for one another}}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) attributes {dycl.kernel} {
  %a = torch.aten.relu %x {dycl.backend = "toy", dycl.composite = "p:0"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %b = torch.aten.exp %a {dycl.backend = "other", dycl.composite = "q:1"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %c = torch.aten.neg %x {dycl.backend = "other", dycl.composite = "q:1"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %d = torch.aten.mul.Tensor %a, %c {dycl.backend = "toy", dycl.composite = "p:0"} : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %b, %d : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>
}
