// An operator without code stays: what has no lowering is said later.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-inline-custom-kernels | filecheck %s

// CHECK: torch.operator "torch.mine.total"(%arg0)
func.func @k(%x: !torch.vtensor<[3],si64>) -> !torch.vtensor<[3],si64> {
  %s = torch.operator "torch.mine.total"(%x) : (!torch.vtensor<[3],si64>) -> !torch.vtensor<[3],si64>
  return %s : !torch.vtensor<[3],si64>
}
