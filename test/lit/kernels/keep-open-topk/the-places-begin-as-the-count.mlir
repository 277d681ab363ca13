// A run decides how many elements are asked for: places begin as this number.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-open-topk | filecheck %s
// RUN: dycl-kernel-opt %s -p cpu-keep-topk | filecheck %s --check-prefix=LEFT

// LEFT: torch.aten.topk
// LEFT-NOT: tm_tensor

// CHECK: %[[K:.*]] = torch_c.to_i64
// CHECK: %[[P:.*]] = linalg.fill ins(%[[K]] : i64) outs(%{{.*}} : tensor<3x?xi64>)
// CHECK: %[[S:.*]]:2 = tm_tensor.sort {dycl.topk = {largest = true, sorted = true}} dimension(1) outs(%{{.*}}, %[[P]] : tensor<3x?xf32>, tensor<3x?xi64>)
// CHECK: %[[N:.*]] = arith.index_cast %[[K]] : i64 to index
// CHECK: tensor.extract_slice %[[S]]#0[0, 0] [3, %[[N]]] [1, 1] : tensor<3x?xf32> to tensor<3x?xf32>
func.func @k(%x: !torch.vtensor<[3,?],f32>, %k: !torch.int) -> (!torch.vtensor<[3,?],f32>, !torch.vtensor<[3,?],si64>) {
  %d = torch.constant.int 1
  %t = torch.constant.bool true
  %0, %1 = torch.aten.topk %x, %k, %d, %t, %t : !torch.vtensor<[3,?],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[3,?],f32>, !torch.vtensor<[3,?],si64>
  return %0, %1 : !torch.vtensor<[3,?],f32>, !torch.vtensor<[3,?],si64>
}
