// As many as a type says: nothing to decide.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-open-topk | filecheck %s

// CHECK: torch.aten.topk
// CHECK-NOT: tm_tensor
func.func @k(%x: !torch.vtensor<[8],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],si64>) {
  %k = torch.constant.int 2
  %d = torch.constant.int 0
  %t = torch.constant.bool true
  %0, %1 = torch.aten.topk %x, %k, %d, %t, %t : !torch.vtensor<[8],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[2],f32>, !torch.vtensor<[2],si64>
  return %0, %1 : !torch.vtensor<[2],f32>, !torch.vtensor<[2],si64>
}
