// Both operands stand in rows: the schedule has an order of loops for that.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fold-transposes | filecheck %s

// CHECK: linalg.matmul {dycl.rows} ins(%arg0, %arg1
func.func @k(%x: tensor<2x8xf64>, %w: tensor<8x4xf64>, %o: tensor<2x4xf64>) -> tensor<2x4xf64> {
  %y = linalg.matmul ins(%x, %w : tensor<2x8xf64>, tensor<8x4xf64>) outs(%o : tensor<2x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}
