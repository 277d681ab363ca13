// A key after the query is out of reach, NaN or not; where all are, the result is zero.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-attention | filecheck %s

// CHECK-NOT: scaled_dot_product_attention
// CHECK: torch.aten.matmul {{.*}} -> !torch.vtensor<[2,3,4,20],f32>
// CHECK: torch.aten.mul.Scalar
// CHECK: torch.aten.ge.Tensor {{.*}} -> !torch.vtensor<[4,20],i1>
// CHECK-NOT: torch.aten.add.Tensor
// CHECK: torch.aten.where.ScalarOther
// CHECK: torch.aten.softmax.int
// CHECK: torch.aten.amax
// CHECK: torch.aten.eq.Scalar
// CHECK: torch.aten.where.ScalarSelf
// CHECK: torch.aten.matmul {{.*}} -> !torch.vtensor<[2,3,4,16],f32>
func.func @few(%q: !torch.vtensor<[2,3,4,16],f32>, %x: !torch.vtensor<[2,3,20,16],f32>)
    -> !torch.vtensor<[2,3,4,16],f32> {
  %p = torch.constant.float 0.0
  %no = torch.constant.bool false
  %yes = torch.constant.bool true
  %none = torch.constant.none
  %y = torch.aten.scaled_dot_product_attention %q, %x, %x, %none, %p, %yes, %none, %no
    : !torch.vtensor<[2,3,4,16],f32>, !torch.vtensor<[2,3,20,16],f32>,
      !torch.vtensor<[2,3,20,16],f32>, !torch.none, !torch.float,
      !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[2,3,4,16],f32>
  return %y : !torch.vtensor<[2,3,4,16],f32>
}
