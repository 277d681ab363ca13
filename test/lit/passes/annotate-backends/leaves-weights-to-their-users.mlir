// RUN: dycl-opt --dycl-annotate-backends="backends=onnxruntime" --verify-diagnostics %s | filecheck %s

// What depends on weights alone goes with each op that uses it. So a backend has to take
// that, too: it takes the first layer, and not the second.

// CHECK-LABEL: func.func @k(
// CHECK:         torch.aten.exp %w :
// CHECK-NEXT:    torch.aten.sinh %w :
// CHECK-NEXT:    torch.aten.linear %x, %a, %none {dycl.backend = "onnxruntime"} :
// CHECK-NEXT:    torch.aten.linear %c, %b, %none {dycl.backend = "cpu"} :
func.func @forward(%x: !torch.vtensor<[1,2],f32>) attributes {dycl.entry} {
  %w = dycl.param "w" : !torch.vtensor<[2,2],f32>
  %y = dycl.launch @k(%x, %w) : (!torch.vtensor<[1,2],f32>, !torch.vtensor<[2,2],f32>) -> !torch.vtensor<[1,2],f32>
  dycl.return %y : (!torch.vtensor<[1,2],f32>) -> ()
}
func.func @k(%x: !torch.vtensor<[1,2],f32>, %w: !torch.vtensor<[2,2],f32> {dycl.weight}) -> !torch.vtensor<[1,2],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %a = torch.aten.exp %w : !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  %b = torch.aten.sinh %w : !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  %c = torch.aten.linear %x, %a, %none : !torch.vtensor<[1,2],f32>, !torch.vtensor<[2,2],f32>, !torch.none -> !torch.vtensor<[1,2],f32>
  // expected-remark@below {{not for onnxruntime: `aten.sinh` is not in the table}}
  %d = torch.aten.linear %c, %b, %none : !torch.vtensor<[1,2],f32>, !torch.vtensor<[2,2],f32>, !torch.none -> !torch.vtensor<[1,2],f32>
  func.return %d : !torch.vtensor<[1,2],f32>
}
