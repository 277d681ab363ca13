// A run may decide the size of a batch, or how many queries and keys there are; with a
// mask, no lengths.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fuse-attention | filecheck %s

!batch = !torch.vtensor<[?,2,19,24],f32>
!any = !torch.vtensor<[1,2,?,24],f32>

// CHECK-LABEL: func.func @batch
// CHECK: linalg.generic
// CHECK-SAME: tensor<?x2x19x24xf32>
// CHECK-SAME: dycl.nest = "attention"
func.func @batch(%q: !batch, %k: !batch, %v: !batch) -> !batch {
  %none = torch.constant.none
  %zero = torch.constant.float 0.0
  %false = torch.constant.bool false
  %o = torch.aten.scaled_dot_product_attention %q, %k, %v, %none, %zero, %false, %none,
    %false : !batch, !batch, !batch, !torch.none, !torch.float, !torch.bool,
    !torch.none, !torch.bool -> !batch
  return %o : !batch
}

// CHECK-LABEL: func.func @length
// CHECK: linalg.generic
// CHECK-SAME: tensor<1x2x?x24xf32>
// CHECK-SAME: dycl.nest = "attention"
func.func @length(%q: !any, %k: !any, %v: !any) -> !any {
  %none = torch.constant.none
  %zero = torch.constant.float 0.0
  %true = torch.constant.bool true
  %false = torch.constant.bool false
  %o = torch.aten.scaled_dot_product_attention %q, %k, %v, %none, %zero, %true, %none,
    %false : !any, !any, !any, !torch.none, !torch.float, !torch.bool,
    !torch.none, !torch.bool -> !any
  return %o : !any
}

// CHECK-LABEL: func.func @masked
// CHECK-NOT: linalg.generic
// CHECK: torch.aten.scaled_dot_product_attention
func.func @masked(%q: !any, %k: !any, %v: !any, %m: !torch.vtensor<[1,1],f32>)
    -> !any {
  %none = torch.constant.none
  %zero = torch.constant.float 0.0
  %false = torch.constant.bool false
  %o = torch.aten.scaled_dot_product_attention %q, %k, %v, %m, %zero, %false, %none,
    %false : !any, !any, !any, !torch.vtensor<[1,1],f32>, !torch.float, !torch.bool,
    !torch.none, !torch.bool -> !any
  return %o : !any
}
