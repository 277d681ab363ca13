// Of one dynamic size on each side torch-mlir guesses nothing, and none of two.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-group-views | filecheck %s

// CHECK-NOT: tensor.
// CHECK: torch.aten.view
// CHECK-NOT: tensor.
func.func @one(%x: !torch.vtensor<[?,2,3],f32>) -> !torch.vtensor<[?,6],f32> {
  %n = torch.constant.int -1
  %k = torch.constant.int 6
  %s = torch.prim.ListConstruct %n, %k : (!torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.view %x, %s : !torch.vtensor<[?,2,3],f32>, !torch.list<int> -> !torch.vtensor<[?,6],f32>
  return %0 : !torch.vtensor<[?,6],f32>
}

// CHECK: torch.aten.view
// CHECK-NOT: tensor.
func.func @two(%x: !torch.vtensor<[?,?,6],f32>, %m: !torch.int, %n: !torch.int) -> !torch.vtensor<[?,?,3],f32> {
  %k = torch.constant.int 3
  %s = torch.prim.ListConstruct %n, %m, %k : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.view %x, %s : !torch.vtensor<[?,?,6],f32>, !torch.list<int> -> !torch.vtensor<[?,?,3],f32>
  return %0 : !torch.vtensor<[?,?,3],f32>
}
