// torch-mlir would make a stable sort of it.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-topk | filecheck %s

// CHECK: %[[X:.*]] = torch_c.to_builtin_tensor %arg0
// CHECK: %[[S:.*]]:2 = tm_tensor.sort {dycl.topk = {k = 3 : i64, largest = true, sorted = false}} dimension(1) outs(%[[X]]
// CHECK: tensor.extract_slice %[[S]]#0[0, 0] [2, 3] [1, 1]
// CHECK: tensor.extract_slice %[[S]]#1[0, 0] [2, 3] [1, 1]
func.func @k(%x: !torch.vtensor<[2,8],f32>) -> (!torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],si64>) {
  %k = torch.constant.int 3
  %d = torch.constant.int -1
  %t = torch.constant.bool true
  %f = torch.constant.bool false
  %0, %1 = torch.aten.topk %x, %k, %d, %t, %f : !torch.vtensor<[2,8],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],si64>
  return %0, %1 : !torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],si64>
}
