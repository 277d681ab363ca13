// What a product makes of weights alone is a product of its own, and prepared.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-products | filecheck %s
// RUN: dycl-kernel-opt %s -p cpu-split-products,cpu-split-weights | filecheck %s --check-prefix=SPLIT

// The weight's rows go with the pieces: 3 of %x, 5 of the known row, 2 of %z.

// CHECK: %[[WK:.*]] = tensor.extract_slice %arg2[3, 0] [5, 4] [1, 1]
// CHECK: %[[PART:.*]] = linalg.matmul ins(%arg1, %[[WK]]
// CHECK: %[[W0:.*]] = tensor.extract_slice %arg2[0, 0] [3, 4] [1, 1]
// CHECK: %[[W8:.*]] = tensor.extract_slice %arg2[8, 0] [2, 4] [1, 1]
// CHECK: %[[W:.*]] = tensor.concat dim(0) %[[W0]], %[[W8]]
// CHECK: %[[XZ:.*]] = tensor.concat dim(1) %arg0, %arg3
// CHECK: %[[REST:.*]] = linalg.matmul ins(%[[XZ]], %[[W]]
// CHECK-SAME: outs(%arg4
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[REST]], %[[PART]]

// SPLIT: func.func @k(
// SPLIT-COUNT-1: linalg.matmul
// SPLIT: func.func @k_prepare
// SPLIT: linalg.matmul
func.func @k(%x: tensor<1x3xf32>, %known: tensor<1x5xf32>, %w: tensor<10x4xf32>, %z: tensor<1x2xf32>, %i: tensor<1x4xf32>)
    -> tensor<1x4xf32> attributes {dycl.weights = array<i64: 1, 2>} {
  %xs = tensor.concat dim(1) %x, %known, %z : (tensor<1x3xf32>, tensor<1x5xf32>, tensor<1x2xf32>) -> tensor<1x10xf32>
  %y = linalg.matmul ins(%xs, %w : tensor<1x10xf32>, tensor<10x4xf32>)
      outs(%i : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
