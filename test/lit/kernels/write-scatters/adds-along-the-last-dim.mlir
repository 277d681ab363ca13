// A loop for each dim of the index; the sum is written where the index says.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-scatters | filecheck %s

// CHECK: %[[X:.*]] = torch_c.to_builtin_tensor %arg0
// CHECK: %[[I:.*]] = torch_c.to_builtin_tensor %arg1
// CHECK: %[[S:.*]] = torch_c.to_builtin_tensor %arg2
// CHECK: scf.for %[[A:.*]] = {{.*}} iter_args(%[[T:.*]] = %[[X]])
// CHECK: scf.for %[[B:.*]] = {{.*}} iter_args(%[[U:.*]] = %[[T]])
// CHECK: %[[N:.*]] = tensor.extract %[[I]][%[[A]], %[[B]]]
// CHECK: %[[AT:.*]] = arith.index_cast %[[N]]
// CHECK: %[[NEW:.*]] = tensor.extract %[[S]][%[[A]], %[[B]]]
// CHECK: %[[OLD:.*]] = tensor.extract %[[U]][%[[A]], %[[AT]]]
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK: tensor.insert %[[SUM]] into %[[U]][%[[A]], %[[AT]]]
// CHECK: torch_c.from_builtin_tensor
func.func @k(%x: !torch.vtensor<[4,8],f32>, %i: !torch.vtensor<[4,5],si64>,
    %s: !torch.vtensor<[4,5],f32>) -> !torch.vtensor<[4,8],f32> {
  %dim = torch.constant.int -1
  %y = torch.aten.scatter_add %x, %dim, %i, %s : !torch.vtensor<[4,8],f32>, !torch.int,
      !torch.vtensor<[4,5],si64>, !torch.vtensor<[4,5],f32> -> !torch.vtensor<[4,8],f32>
  return %y : !torch.vtensor<[4,8],f32>
}
