// RUN: dycl-opt --dycl-annotate-backends="backends=reference" %s | filecheck %s
// RUN: dycl-opt --dycl-annotate-backends %s | filecheck %s

// There is nothing to choose: no backend is asked for, or one that takes every kernel.

// CHECK-LABEL: func.func @k(
// CHECK-NEXT:    torch.aten.sinh %a : {{.*}}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %b = torch.aten.sinh %a : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %b : !torch.vtensor<[2],f32>
}
