// What eager takes in a row is known, however many rows there are.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-topk | filecheck %s

// CHECK: %[[X:.*]] = torch_c.to_builtin_tensor %arg0
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[I:.*]] = tensor.empty(%[[N]]) : tensor<?x8xi64>
// CHECK: %[[S:.*]]:2 = tm_tensor.sort {dycl.topk = {k = 3 : i64, largest = true, sorted = true}} dimension(1) outs(%[[X]], %[[I]]
// CHECK: tensor.extract_slice %[[S]]#0[0, 0] [%{{.*}}, 3] [1, 1] : tensor<?x8xf32> to tensor<?x3xf32>
func.func @k(%x: !torch.vtensor<[?,8],f32>) -> (!torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],si64>) {
  %k = torch.constant.int 3
  %d = torch.constant.int -1
  %t = torch.constant.bool true
  %0, %1 = torch.aten.topk %x, %k, %d, %t, %t : !torch.vtensor<[?,8],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],si64>
  return %0, %1 : !torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],si64>
}
