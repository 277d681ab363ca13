// A function without literals stays as it is.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-hide-literals | filecheck %s

// CHECK: func.func @k(%arg0: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
func.func @k(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  return %x : !torch.vtensor<[4],f32>
}
