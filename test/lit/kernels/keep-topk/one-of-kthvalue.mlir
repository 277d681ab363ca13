// Of `kthvalue`, the one element that stands behind `k - 1` others is asked for.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-topk | filecheck %s

// CHECK: %[[S:.*]]:2 = tm_tensor.sort {dycl.topk = {k = 3 : i64, largest = true}} dimension(1)
// CHECK: tensor.extract_slice %[[S]]#0[0, 2] [2, 1] [1, 1] : tensor<2x8xf32> to tensor<2xf32>
// CHECK: tensor.extract_slice %[[S]]#1[0, 2] [2, 1] [1, 1] : tensor<2x8xi64> to tensor<2xi64>
func.func @k(%x: !torch.vtensor<[2,8],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],si64>) {
  %k = torch.constant.int 3
  %d = torch.constant.int 1
  %f = torch.constant.bool false
  %0, %1 = torch.aten.kthvalue %x, %k, %d, %f : !torch.vtensor<[2,8],f32>, !torch.int, !torch.int, !torch.bool -> !torch.vtensor<[2],f32>, !torch.vtensor<[2],si64>
  return %0, %1 : !torch.vtensor<[2],f32>, !torch.vtensor<[2],si64>
}
