// A run decides how many queries, heads' keys and rows there are; other dtypes stay.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-attention | filecheck %s

// CHECK-LABEL: @grouped
// CHECK: torch.aten.unsqueeze {{.*}} -> !torch.vtensor<[?,2,1,?,16],f32>
// CHECK: torch.aten.expand {{.*}} -> !torch.vtensor<[?,2,2,?,16],f32>
// CHECK: torch.aten.flatten.using_ints {{.*}} -> !torch.vtensor<[?,4,?,16],f32>
// CHECK: torch.aten.matmul {{.*}} -> !torch.vtensor<[?,4,?,?],f32>
// CHECK: torch.aten.add.Tensor {{.*}} !torch.vtensor<[?,?],f32>
// CHECK: torch.aten.matmul {{.*}} -> !torch.vtensor<[?,4,?,16],f32>
func.func @grouped(%q: !torch.vtensor<[?,4,?,16],f32>, %x: !torch.vtensor<[?,2,?,16],f32>,
                   %m: !torch.vtensor<[?,?],i1>) -> !torch.vtensor<[?,4,?,16],f32> {
  %p = torch.constant.float 0.0
  %no = torch.constant.bool false
  %yes = torch.constant.bool true
  %none = torch.constant.none
  %y = torch.aten.scaled_dot_product_attention %q, %x, %x, %m, %p, %no, %none, %yes
    : !torch.vtensor<[?,4,?,16],f32>, !torch.vtensor<[?,2,?,16],f32>,
      !torch.vtensor<[?,2,?,16],f32>, !torch.vtensor<[?,?],i1>, !torch.float,
      !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[?,4,?,16],f32>
  return %y : !torch.vtensor<[?,4,?,16],f32>
}

// CHECK-LABEL: @half
// CHECK: torch.aten.scaled_dot_product_attention
func.func @half(%x: !torch.vtensor<[2,?,16],f16>) -> !torch.vtensor<[2,?,16],f16> {
  %p = torch.constant.float 0.0
  %no = torch.constant.bool false
  %none = torch.constant.none
  %y = torch.aten.scaled_dot_product_attention %x, %x, %x, %none, %p, %no, %none, %no
    : !torch.vtensor<[2,?,16],f16>, !torch.vtensor<[2,?,16],f16>,
      !torch.vtensor<[2,?,16],f16>, !torch.none, !torch.float,
      !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[2,?,16],f16>
  return %y : !torch.vtensor<[2,?,16],f16>
}
