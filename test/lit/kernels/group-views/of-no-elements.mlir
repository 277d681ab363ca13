// A size to be guessed beside a size of 0: torch-mlir divides by it, and dies.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-group-views | filecheck %s

// CHECK-LABEL: func.func @first(
// CHECK: %[[X:.*]] = torch_c.to_builtin_tensor %arg0 : {{.*}} -> tensor<2x?x0x3xf32>
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]]
// CHECK: %[[COUNT:.*]] = arith.muli {{.*}}%[[ROWS]]
// CHECK: tensor.empty(%[[COUNT]]) : tensor<?x0x3xf32>
// CHECK-NOT: torch.aten.view
func.func @first(%x: !torch.vtensor<[2,?,0,3],f32>) -> !torch.vtensor<[?,0,3],f32> {
  %guess = torch.constant.int -1
  %int0 = torch.constant.int 0
  %int3 = torch.constant.int 3
  %sizes = torch.prim.ListConstruct %guess, %int0, %int3 : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.view %x, %sizes : !torch.vtensor<[2,?,0,3],f32>, !torch.list<int> -> !torch.vtensor<[?,0,3],f32>
  func.return %y : !torch.vtensor<[?,0,3],f32>
}

// CHECK-LABEL: func.func @last(
// CHECK: %[[N:.*]] = torch_c.to_i64 %arg1
// CHECK: %[[COUNT:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK: tensor.empty(%[[COUNT]]) : tensor<?x0xf32>
// CHECK-NOT: torch.aten.view
func.func @last(%x: !torch.vtensor<[?,0,3],f32>, %n: !torch.int) -> !torch.vtensor<[?,0],f32> {
  %guess = torch.constant.int -1
  %sizes = torch.prim.ListConstruct %n, %guess : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.view %x, %sizes : !torch.vtensor<[?,0,3],f32>, !torch.list<int> -> !torch.vtensor<[?,0],f32>
  func.return %y : !torch.vtensor<[?,0],f32>
}

// Nothing says what the first size is.
// CHECK-LABEL: func.func @left(
// CHECK: torch.aten.view
func.func @left(%x: !torch.vtensor<[0,?],f32>) -> !torch.vtensor<[?,0],f32> {
  %guess = torch.constant.int -1
  %int0 = torch.constant.int 0
  %sizes = torch.prim.ListConstruct %guess, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.view %x, %sizes : !torch.vtensor<[0,?],f32>, !torch.list<int> -> !torch.vtensor<[?,0],f32>
  func.return %y : !torch.vtensor<[?,0],f32>
}
