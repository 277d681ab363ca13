// Known sizes, and rows of several layers that become one list of rows.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fold-collapsed-slices | filecheck %s

// CHECK-LABEL: func.func @known
// CHECK: tensor.collapse_shape
func.func @known(%h: tensor<2x3x256xf32>) -> tensor<3x256xf32> {
  %s = tensor.extract_slice %h[1, 0, 0] [1, 3, 256] [1, 1, 1] : tensor<2x3x256xf32> to tensor<1x3x256xf32>
  %y = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x3x256xf32> into tensor<3x256xf32>
  return %y : tensor<3x256xf32>
}

// CHECK-LABEL: func.func @layers
// CHECK: tensor.collapse_shape
func.func @layers(%h: tensor<4x?x256xf32>, %n: index) -> tensor<?x256xf32> {
  %s = tensor.extract_slice %h[1, 0, 0] [2, %n, 256] [1, 1, 1] : tensor<4x?x256xf32> to tensor<2x?x256xf32>
  %y = tensor.collapse_shape %s [[0, 1], [2]] : tensor<2x?x256xf32> into tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}
