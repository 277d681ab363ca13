// RUN: dycl-opt --dycl-partition-backends --verify-diagnostics %s | filecheck %s

// What is wrong with the launch is said by dycl-check-hcfg.

// CHECK:       dycl.launch @k(%x, %x)
// CHECK:       func.func @k(
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.launch @k(%x, %x) : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
// expected-remark@below {{not parted: a launch passes it too many or too few}}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %a = torch.aten.relu %x {dycl.backend = "toy", dycl.region = 0 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %b = torch.aten.sinh %a {dycl.backend = "cpu", dycl.region = 1 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %b : !torch.vtensor<[2],f32>
}
