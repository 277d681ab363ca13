// RUN: dycl-opt --dycl-partition-backends %s | filecheck %s

// Parts of one backend are numbered, and so is a name that the module has.

// CHECK:       dycl.launch @k_toy_1(%x)
// CHECK-NEXT:  dycl.launch @k_cpu(%a)
// CHECK-NEXT:  dycl.launch @k_toy_2(%b)
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %a = torch.aten.relu %x {dycl.backend = "toy", dycl.region = 0 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %b = torch.aten.sinh %a {dycl.backend = "cpu", dycl.region = 1 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %c = torch.aten.neg %b {dycl.backend = "toy", dycl.region = 2 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %c : !torch.vtensor<[2],f32>
}
func.func @k_toy(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.backend = "toy"} {
  %a = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %a : !torch.vtensor<[2],f32>
}
