// A norm sees a row from its mean; what is left of the mean mends mean and variance.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-norms | filecheck %s

// CHECK-LABEL: func.func @group
// CHECK: torch.aten.view {{.*}} -> !torch.vtensor<[2,3,2,20],f32>
// CHECK: %[[M:.*]] = torch.aten.mean.dim
// CHECK: %[[D:.*]] = torch.aten.sub.Tensor {{.*}}, %[[M]],
// CHECK: %[[E:.*]] = torch.aten.mean.dim %[[D]],
// CHECK: torch.aten.mul.Tensor %[[D]], %[[D]]
// CHECK: torch.aten.mul.Tensor %[[E]], %[[E]]
// CHECK: torch.aten.relu
// CHECK: torch.aten.rsqrt
// CHECK: torch.aten.mul.Tensor {{.*}} -> !torch.vtensor<[2,3,2,1],f32>
// CHECK: torch.aten.sub.Tensor %[[D]], %[[E]],
// CHECK: torch.aten.add.Tensor {{.*}} -> !torch.vtensor<[2,3,2,20],f32>
// CHECK-NOT: group_norm
func.func @group(
    %x: !torch.vtensor<[2,6,4,5],f32>, %w: !torch.vtensor<[6],f32>,
    %b: !torch.vtensor<[6],f32>) -> !torch.vtensor<[2,6,4,5],f32> {
  %groups = torch.constant.int 3
  %eps = torch.constant.float 1.0e-05
  %true = torch.constant.bool true
  %y = torch.aten.group_norm %x, %groups, %w, %b, %eps, %true
    : !torch.vtensor<[2,6,4,5],f32>, !torch.int, !torch.vtensor<[6],f32>,
      !torch.vtensor<[6],f32>, !torch.float, !torch.bool
      -> !torch.vtensor<[2,6,4,5],f32>
  return %y : !torch.vtensor<[2,6,4,5],f32>
}

// Without a weight there is nothing to multiply by, without a bias nothing to add.
// CHECK-LABEL: func.func @layer
// CHECK-NOT: layer_norm
// CHECK: %[[SCALE:.*]] = torch.aten.rsqrt {{.*}} -> !torch.vtensor<[6,1,1],f32>
// CHECK: %[[Y:.*]] = torch.aten.mul.Tensor {{.*}}, %[[SCALE]] :
// CHECK: return %[[Y]]
func.func @layer(%x: !torch.vtensor<[6,4,5],f32>) -> !torch.vtensor<[6,4,5],f32> {
  %four = torch.constant.int 4
  %five = torch.constant.int 5
  %over = torch.prim.ListConstruct %four, %five : (!torch.int, !torch.int)
    -> !torch.list<int>
  %none = torch.constant.none
  %eps = torch.constant.float 1.0e-05
  %true = torch.constant.bool true
  %y = torch.aten.layer_norm %x, %over, %none, %none, %eps, %true
    : !torch.vtensor<[6,4,5],f32>, !torch.list<int>, !torch.none, !torch.none,
      !torch.float, !torch.bool -> !torch.vtensor<[6,4,5],f32>
  return %y : !torch.vtensor<[6,4,5],f32>
}
