// RUN: dycl-opt --dycl-annotate-backends="backends=onnxruntime" --verify-diagnostics %s | filecheck %s

// Only tensors pass from one kernel to another: a list stays with those who unpack it.

// CHECK-LABEL: func.func @k(
// CHECK:         torch.aten.split_with_sizes %x, {{.*}} {dycl.backend = "onnxruntime"} :
// CHECK-NEXT:    torch.prim.ListUnpack %a {dycl.backend = "onnxruntime"} :
// CHECK:         torch.aten.tensor_split.sections %x, {{.*}} {dycl.backend = "cpu"} :
// CHECK-NEXT:    torch.prim.ListUnpack %d {dycl.backend = "cpu"} :
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>) attributes {dycl.kernel} {
  %zero = torch.constant.int 0
  %one = torch.constant.int 1
  %two = torch.constant.int 2
  %sizes = torch.prim.ListConstruct %one, %one : (!torch.int, !torch.int) -> !torch.list<int>
  %a = torch.aten.split_with_sizes %x, %sizes, %zero : !torch.vtensor<[2],f32>, !torch.list<int>, !torch.int -> !torch.list<vtensor>
  %b, %c = torch.prim.ListUnpack %a : !torch.list<vtensor> -> !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>
  // expected-remark@below {{not for onnxruntime: `aten.tensor_split.sections` is not in the table}}
  %d = torch.aten.tensor_split.sections %x, %two, %zero : !torch.vtensor<[2],f32>, !torch.int, !torch.int -> !torch.list<vtensor>
  // expected-remark@below {{not for onnxruntime: what it is given, or gives, is no tensor, and is not for it}}
  %e, %f = torch.prim.ListUnpack %d : !torch.list<vtensor> -> !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>
  func.return %b, %e : !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>
}
