// No copy of the weights of a linear layer is made.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fold-transposes | filecheck %s

// CHECK-NOT: linalg.matmul {{.*}}dycl.rows
// CHECK: linalg.matmul
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-SAME: ins(%arg0, %arg1
func.func @k(%x: tensor<2x8xf64>, %w: tensor<4x8xf64>, %e: tensor<8x4xf64>, %o: tensor<2x4xf64>) -> tensor<2x4xf64> {
  %t = linalg.transpose ins(%w : tensor<4x8xf64>) outs(%e : tensor<8x4xf64>) permutation = [1, 0]
  %y = linalg.matmul ins(%x, %t : tensor<2x8xf64>, tensor<8x4xf64>) outs(%o : tensor<2x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}
