// How many elements are asked for is not known: torch-mlir's sort is taken.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-topk | filecheck %s

// CHECK: torch.aten.topk
// CHECK-NOT: tm_tensor
func.func @k(%x: !torch.vtensor<[8],f32>, %k: !torch.int) -> (!torch.vtensor<[?],f32>, !torch.vtensor<[?],si64>) {
  %d = torch.constant.int 0
  %t = torch.constant.bool true
  %0, %1 = torch.aten.topk %x, %k, %d, %t, %t : !torch.vtensor<[8],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[?],f32>, !torch.vtensor<[?],si64>
  return %0, %1 : !torch.vtensor<[?],f32>, !torch.vtensor<[?],si64>
}
