// The code of an operator takes its place; lists of tensors count by their elements.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-inline-custom-kernels | filecheck %s

// CHECK: func.func @k(%arg0: !torch.vtensor<[3],si64>, %arg1: !torch.vtensor<[3],si64>)
// CHECK: %[[X:.*]] = torch_c.to_builtin_tensor %arg0 : !torch.vtensor<[3],si64> -> tensor<3xi64>
// CHECK: %[[Y:.*]] = torch_c.to_builtin_tensor %arg1
// CHECK: %[[E:.*]] = tensor.empty() : tensor<3xi64>
// CHECK: %[[S:.*]] = linalg.add ins(%[[X]], %[[Y]] : tensor<3xi64>, tensor<3xi64>) outs(%[[E]] : tensor<3xi64>)
// CHECK: %[[R:.*]] = torch_c.from_builtin_tensor %[[S]] : tensor<3xi64> -> !torch.vtensor<[3],si64>
// CHECK: torch.aten.neg %[[R]]
// CHECK-NOT: func.func
func.func @k(%x: !torch.vtensor<[3],si64>, %y: !torch.vtensor<[3],si64>) -> !torch.vtensor<[3],si64> {
  %both = torch.prim.ListConstruct %x, %y : (!torch.vtensor<[3],si64>, !torch.vtensor<[3],si64>) -> !torch.list<vtensor>
  %s = torch.operator "torch.mine.total"(%both) {dycl.custom_kernel = "func.func @total(%a: tensor<3xi64>, %b: tensor<3xi64>) -> tensor<3xi64> { %e = tensor.empty() : tensor<3xi64> %s = linalg.add ins(%a, %b : tensor<3xi64>, tensor<3xi64>) outs(%e : tensor<3xi64>) -> tensor<3xi64> return %s : tensor<3xi64> }"} : (!torch.list<vtensor>) -> !torch.vtensor<[3],si64>
  %n = torch.aten.neg %s : !torch.vtensor<[3],si64> -> !torch.vtensor<[3],si64>
  return %n : !torch.vtensor<[3],si64>
}
