// A matrix that is no weight is not copied.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls | filecheck %s

// CHECK-NOT: linalg.pack
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0, %arg1 :
// CHECK-SAME: dycl.nest = "matmul"
func.func @k(%x: tensor<8x32xf32>, %w: tensor<32x48xf32>, %i: tensor<8x48xf32>)
    -> tensor<8x48xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x32xf32>, tensor<32x48xf32>)
      outs(%i : tensor<8x48xf32>) -> tensor<8x48xf32>
  return %y : tensor<8x48xf32>
}
