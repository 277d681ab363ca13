// RUN: dycl-opt --dycl-check-hcfg %s | filecheck %s

// Host and kernels apart: nothing is said, nothing is changed.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.launch @k
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %y = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
