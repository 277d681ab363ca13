// However long a row is, the elements that are asked for are as many.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-topk | filecheck %s

// CHECK: %[[S:.*]]:2 = tm_tensor.sort {dycl.topk = {k = 3 : i64, largest = true, sorted = true}} dimension(1) outs(%{{.*}} : tensor<?x?xf32>, tensor<?x?xi64>)
// CHECK: %[[N:.*]] = tensor.dim %[[S]]#0, %c0
// CHECK: tensor.extract_slice %[[S]]#0[0, 0] [%[[N]], 3] [1, 1] : tensor<?x?xf32> to tensor<?x3xf32>
func.func @k(%x: !torch.vtensor<[?,?],f32>) -> (!torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],si64>) {
  %k = torch.constant.int 3
  %d = torch.constant.int -1
  %t = torch.constant.bool true
  %0, %1 = torch.aten.topk %x, %k, %d, %t, %t : !torch.vtensor<[?,?],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],si64>
  return %0, %1 : !torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],si64>
}
