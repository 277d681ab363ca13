// Other dtypes, rows of dynamic length and no elements are left to torch-mlir.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-norms | filecheck %s

// CHECK-LABEL: func.func @double
// CHECK: torch.aten.group_norm
func.func @double(%x: !torch.vtensor<[2,6,4],f64>) -> !torch.vtensor<[2,6,4],f64> {
  %groups = torch.constant.int 3
  %none = torch.constant.none
  %eps = torch.constant.float 1.0e-05
  %true = torch.constant.bool true
  %y = torch.aten.group_norm %x, %groups, %none, %none, %eps, %true
    : !torch.vtensor<[2,6,4],f64>, !torch.int, !torch.none, !torch.none,
      !torch.float, !torch.bool -> !torch.vtensor<[2,6,4],f64>
  return %y : !torch.vtensor<[2,6,4],f64>
}

// CHECK-LABEL: func.func @open
// CHECK: torch.aten.group_norm
func.func @open(%x: !torch.vtensor<[2,6,?],f32>) -> !torch.vtensor<[2,6,?],f32> {
  %groups = torch.constant.int 3
  %none = torch.constant.none
  %eps = torch.constant.float 1.0e-05
  %true = torch.constant.bool true
  %y = torch.aten.group_norm %x, %groups, %none, %none, %eps, %true
    : !torch.vtensor<[2,6,?],f32>, !torch.int, !torch.none, !torch.none,
      !torch.float, !torch.bool -> !torch.vtensor<[2,6,?],f32>
  return %y : !torch.vtensor<[2,6,?],f32>
}

// CHECK-LABEL: func.func @empty
// CHECK: torch.aten.group_norm
func.func @empty(%x: !torch.vtensor<[0,6,4],f32>) -> !torch.vtensor<[0,6,4],f32> {
  %groups = torch.constant.int 3
  %none = torch.constant.none
  %eps = torch.constant.float 1.0e-05
  %true = torch.constant.bool true
  %y = torch.aten.group_norm %x, %groups, %none, %none, %eps, %true
    : !torch.vtensor<[0,6,4],f32>, !torch.int, !torch.none, !torch.none,
      !torch.float, !torch.bool -> !torch.vtensor<[0,6,4],f32>
  return %y : !torch.vtensor<[0,6,4],f32>
}
