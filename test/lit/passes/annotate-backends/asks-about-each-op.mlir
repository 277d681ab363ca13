// RUN: dycl-opt --dycl-annotate-backends="backends=onnxruntime" %s | filecheck %s
// RUN: dycl-opt --dycl-annotate-backends="backends=onnxruntime" --dycl-annotate-backends="backends=onnxruntime" %s | filecheck %s
// RUN: dycl-opt --dycl-annotate-backends="backends=onnxruntime" --verify-diagnostics %s | filecheck %s

// Each op has a backend; the kernels of our own ask for nobody else. Constants have none.

// CHECK-LABEL: func.func @k(
// CHECK-NEXT:    %one = torch.constant.int 1
// CHECK-NEXT:    torch.aten.relu %a {dycl.backend = "onnxruntime"} :
// CHECK-NEXT:    torch.aten.sinh %b {dycl.backend = "cpu"} :
// CHECK-NEXT:    torch.aten.add.Tensor %b, %c, %one {dycl.backend = "onnxruntime"} :
// CHECK-LABEL: func.func @ours(
// CHECK-NEXT:    torch.aten.relu %a :
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %one = torch.constant.int 1
  %b = torch.aten.relu %a : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  // expected-remark@below {{not for onnxruntime: `aten.sinh` is not in the table}}
  %c = torch.aten.sinh %b : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %d = torch.aten.add.Tensor %b, %c, %one : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.int -> !torch.vtensor<[2],f32>
  func.return %d : !torch.vtensor<[2],f32>
}
func.func @ours(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.backend = "cpu"} {
  %b = torch.aten.relu %a : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %b : !torch.vtensor<[2],f32>
}
