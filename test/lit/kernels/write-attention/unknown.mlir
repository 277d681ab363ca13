// Sizes that a run decides are left to torch-mlir, which takes them or says why not.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-attention | filecheck %s

// CHECK: torch.aten.scaled_dot_product_attention
func.func @open(%x: !torch.vtensor<[2,?,16],f32>) -> !torch.vtensor<[2,?,16],f32> {
  %p = torch.constant.float 0.0
  %no = torch.constant.bool false
  %none = torch.constant.none
  %y = torch.aten.scaled_dot_product_attention %x, %x, %x, %none, %p, %no, %none, %no
    : !torch.vtensor<[2,?,16],f32>, !torch.vtensor<[2,?,16],f32>,
      !torch.vtensor<[2,?,16],f32>, !torch.none, !torch.float,
      !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[2,?,16],f32>
  return %y : !torch.vtensor<[2,?,16],f32>
}
