// A run may decide how many rows there are, or the size of a batch of groups.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-norms | filecheck %s

// CHECK-LABEL: func.func @layer
// CHECK-NOT: torch.aten.layer_norm
// CHECK: torch.aten.rsqrt {{.*}} -> !torch.vtensor<[?,1],f32>
func.func @layer(%x: !torch.vtensor<[?,6],f32>) -> !torch.vtensor<[?,6],f32> {
  %six = torch.constant.int 6
  %over = torch.prim.ListConstruct %six : (!torch.int) -> !torch.list<int>
  %none = torch.constant.none
  %eps = torch.constant.float 1.0e-05
  %true = torch.constant.bool true
  %y = torch.aten.layer_norm %x, %over, %none, %none, %eps, %true
    : !torch.vtensor<[?,6],f32>, !torch.list<int>, !torch.none, !torch.none,
      !torch.float, !torch.bool -> !torch.vtensor<[?,6],f32>
  return %y : !torch.vtensor<[?,6],f32>
}

// CHECK-LABEL: func.func @group
// CHECK: torch.aten.view {{.*}} -> !torch.vtensor<[?,3,2,4],f32>
// CHECK: torch.aten.rsqrt {{.*}} -> !torch.vtensor<[?,3,1,1],f32>
func.func @group(%x: !torch.vtensor<[?,6,4],f32>) -> !torch.vtensor<[?,6,4],f32> {
  %groups = torch.constant.int 3
  %none = torch.constant.none
  %eps = torch.constant.float 1.0e-05
  %true = torch.constant.bool true
  %y = torch.aten.group_norm %x, %groups, %none, %none, %eps, %true
    : !torch.vtensor<[?,6,4],f32>, !torch.int, !torch.none, !torch.none,
      !torch.float, !torch.bool -> !torch.vtensor<[?,6,4],f32>
  return %y : !torch.vtensor<[?,6,4],f32>
}
