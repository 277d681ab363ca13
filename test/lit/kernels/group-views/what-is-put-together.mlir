// Of two dynamic sizes, torch-mlir would take the first for that of the view.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-group-views | filecheck %s

// CHECK: %[[X:.*]] = torch_c.to_builtin_tensor %arg0
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2, 3]] : tensor<?x?x2x3xf32> into tensor<?x6xf32>
// CHECK: torch_c.from_builtin_tensor
func.func @rows(%x: !torch.vtensor<[?,?,2,3],f32>) -> !torch.vtensor<[?,6],f32> {
  %n = torch.constant.int -1
  %k = torch.constant.int 6
  %s = torch.prim.ListConstruct %n, %k : (!torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.view %x, %s : !torch.vtensor<[?,?,2,3],f32>, !torch.list<int> -> !torch.vtensor<[?,6],f32>
  return %0 : !torch.vtensor<[?,6],f32>
}

// CHECK: %[[F:.*]] = tensor.collapse_shape {{.*}} {{\[\[}}0, 1], [2]] : tensor<?x?x4xf32> into tensor<?x4xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[F]]
// CHECK: %[[H:.*]] = arith.divui %[[N]], %c2
// CHECK: tensor.expand_shape %[[F]] {{\[\[}}0, 1], [2]] output_shape [2, %[[H]], 4]
func.func @halves(%x: !torch.vtensor<[?,?,4],f32>) -> !torch.vtensor<[2,?,4],f32> {
  %n = torch.constant.int -1
  %k = torch.constant.int 2
  %l = torch.constant.int 4
  %s = torch.prim.ListConstruct %k, %n, %l : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.view %x, %s : !torch.vtensor<[?,?,4],f32>, !torch.list<int> -> !torch.vtensor<[2,?,4],f32>
  return %0 : !torch.vtensor<[2,?,4],f32>
}

// CHECK: tensor.collapse_shape {{.*}} {{\[\[}}0], [1, 2]] : tensor<?x?x6xf32> into tensor<?x?xf32>
func.func @flat(%x: !torch.vtensor<[?,?,6],f32>) -> !torch.vtensor<[?,?],f32> {
  %a = torch.constant.int 1
  %b = torch.constant.int -1
  %0 = torch.aten.flatten.using_ints %x, %a, %b : !torch.vtensor<[?,?,6],f32>, !torch.int, !torch.int -> !torch.vtensor<[?,?],f32>
  return %0 : !torch.vtensor<[?,?],f32>
}
