// The code of an operator takes the operands that are named, numbers among them.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-inline-custom-kernels | filecheck %s

// CHECK: func.func @k(%arg0: !torch.vtensor<[3],f32>, %arg1: !torch.float, %arg2: !torch.int, %arg3: !torch.bool)
// CHECK: %[[X:.*]] = torch_c.to_builtin_tensor %arg0
// CHECK: %[[F:.*]] = torch_c.to_f64 %arg1
// CHECK: %[[I:.*]] = torch_c.to_i64 %arg2
// CHECK: %[[B:.*]] = torch_c.to_i1 %arg3
// CHECK: %[[J:.*]] = arith.sitofp %[[I]] : i64 to f64
// CHECK: arith.select %[[B]], %[[F]], %[[J]] : f64
// CHECK-NOT: func.func
func.func @k(%x: !torch.vtensor<[3],f32>, %f: !torch.float, %i: !torch.int, %b: !torch.bool) -> !torch.vtensor<[3],f32> {
  %seven = torch.constant.int 7
  %s = torch.operator "torch.mine.fill"(%x, %f, %seven, %i, %b) {dycl.custom_kernel = "func.func @fill(%x: tensor<3xf32>, %f: f64, %i: i64, %b: i1) -> tensor<3xf32> { %j = arith.sitofp %i : i64 to f64 %s = arith.select %b, %f, %j : f64 %t = arith.truncf %s : f64 to f32 %e = tensor.empty() : tensor<3xf32> %y = linalg.fill ins(%t : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32> return %y : tensor<3xf32> }", dycl.custom_kernel_arguments = [0 : i64, 1 : i64, 3 : i64, 4 : i64]} : (!torch.vtensor<[3],f32>, !torch.float, !torch.int, !torch.int, !torch.bool) -> !torch.vtensor<[3],f32>
  return %s : !torch.vtensor<[3],f32>
}
