// The scale is 1 / sqrt(16); a mask of bits is written as numbers, and transposed.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fuse-attention | filecheck %s

// CHECK-LABEL: func.func @masked
// CHECK: %[[M:.*]] = torch.aten.where.Scalar %arg1
// CHECK: torch.aten.transpose.int %[[M]]
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4)>
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5) -> (0, 0, d3, d2)>
// CHECK-SAME: dycl.attention = {empty_is_zero = true, fills = false, is_causal = false, scale = 2.500000e-01 : f64}
// CHECK-SAME: dycl.nest = "attention"
func.func @masked(%x: !torch.vtensor<[2,3,20,16],f32>, %m: !torch.vtensor<[20,20],i1>)
    -> !torch.vtensor<[2,3,20,16],f32> {
  %p = torch.constant.float 0.0
  %no = torch.constant.bool false
  %none = torch.constant.none
  %y = torch.aten.scaled_dot_product_attention %x, %x, %x, %m, %p, %no, %none, %no
    : !torch.vtensor<[2,3,20,16],f32>, !torch.vtensor<[2,3,20,16],f32>,
      !torch.vtensor<[2,3,20,16],f32>, !torch.vtensor<[20,20],i1>, !torch.float,
      !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[2,3,20,16],f32>
  return %y : !torch.vtensor<[2,3,20,16],f32>
}

// Few queries would leave most lanes empty.
// CHECK-LABEL: func.func @few
// CHECK: torch.aten.scaled_dot_product_attention
func.func @few(%q: !torch.vtensor<[2,3,4,16],f32>, %x: !torch.vtensor<[2,3,20,16],f32>)
    -> !torch.vtensor<[2,3,4,16],f32> {
  %p = torch.constant.float 0.0
  %no = torch.constant.bool false
  %none = torch.constant.none
  %y = torch.aten.scaled_dot_product_attention %q, %x, %x, %none, %p, %no, %none, %no
    : !torch.vtensor<[2,3,4,16],f32>, !torch.vtensor<[2,3,20,16],f32>,
      !torch.vtensor<[2,3,20,16],f32>, !torch.none, !torch.float,
      !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[2,3,4,16],f32>
  return %y : !torch.vtensor<[2,3,4,16],f32>
}
