// RUN: dycl-opt --dycl-annotate-backends="backends=onnxruntime" --verify-diagnostics %s | filecheck %s

// No region would give the second result.

// CHECK-LABEL: func.func @k(
// CHECK-NEXT:    torch.aten.exp %x :
// expected-remark@below {{not annotated: it gives what it is given}}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) attributes {dycl.kernel} {
  %a = torch.aten.exp %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %a, %x : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>
}
