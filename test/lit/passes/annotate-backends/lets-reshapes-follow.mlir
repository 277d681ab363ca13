// RUN: dycl-opt --dycl-annotate-backends="backends=onnxruntime" --verify-diagnostics %s | filecheck %s

// A reshape goes with who makes what it reshapes, or else with its user: alone it is not
// worth a call.

// CHECK-LABEL: func.func @k(
// CHECK:         torch.aten.view %x, %{{.*}} {dycl.backend = "cpu"} :
// CHECK-NEXT:    torch.aten.sinh %a {dycl.backend = "cpu"} :
// CHECK-NEXT:    torch.aten.view %b, %{{.*}} {dycl.backend = "cpu"} :
// CHECK-NEXT:    torch.aten.exp %c {dycl.backend = "onnxruntime"} :
// CHECK-NEXT:    torch.aten.view %d, %{{.*}} {dycl.backend = "onnxruntime"} :
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %one = torch.constant.int 1
  %two = torch.constant.int 2
  %row = torch.prim.ListConstruct %one, %two : (!torch.int, !torch.int) -> !torch.list<int>
  %flat = torch.prim.ListConstruct %two : (!torch.int) -> !torch.list<int>
  %a = torch.aten.view %x, %row : !torch.vtensor<[2],f32>, !torch.list<int> -> !torch.vtensor<[1,2],f32>
  // expected-remark@below {{not for onnxruntime: `aten.sinh` is not in the table}}
  %b = torch.aten.sinh %a : !torch.vtensor<[1,2],f32> -> !torch.vtensor<[1,2],f32>
  %c = torch.aten.view %b, %flat : !torch.vtensor<[1,2],f32>, !torch.list<int> -> !torch.vtensor<[2],f32>
  %d = torch.aten.exp %c : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %e = torch.aten.view %d, %row : !torch.vtensor<[2],f32>, !torch.list<int> -> !torch.vtensor<[1,2],f32>
  %f = torch.aten.exp %e : !torch.vtensor<[1,2],f32> -> !torch.vtensor<[1,2],f32>
  %g = torch.aten.view %f, %flat : !torch.vtensor<[1,2],f32>, !torch.list<int> -> !torch.vtensor<[2],f32>
  func.return %g : !torch.vtensor<[2],f32>
}
