// RUN: dycl-opt --dycl-partition-backends %s | filecheck %s

// A value that two later parts need, and that the kernel gives twice, is one result.

// CHECK:       %a = dycl.launch @k_toy(%x)
// CHECK-NEXT:  %b = dycl.launch @k_cpu(%a)
// CHECK-NEXT:  %c = dycl.launch @k_other(%a, %b)
// CHECK-NEXT:  dycl.return %a, %a, %c :
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %p, %q, %r = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>)
  dycl.return %p, %q, %r : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) attributes {dycl.kernel} {
  %a = torch.aten.relu %x {dycl.backend = "toy", dycl.region = 0 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %b = torch.aten.sinh %a {dycl.backend = "cpu", dycl.region = 1 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %c = torch.aten.mul.Tensor %a, %b {dycl.backend = "other", dycl.region = 2 : i64} : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %a, %a, %c : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>
}
