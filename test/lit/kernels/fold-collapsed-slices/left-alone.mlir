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

// The image of one stays, and the row goes: of both MLIR tells which goes by size in one
// place and by stride in another.
// CHECK-LABEL: func.func @windows
// CHECK: tensor.collapse_shape
func.func @windows(%w: tensor<1x3x2x?x?xf32>, %h: index, %n: index) -> tensor<1x3x?x?xf32> {
  %s = tensor.extract_slice %w[0, 0, 1, 0, 0] [1, 3, 1, %h, %n] [1, 1, 1, 1, 1] : tensor<1x3x2x?x?xf32> to tensor<1x3x1x?x?xf32>
  %y = tensor.collapse_shape %s [[0], [1], [2, 3], [4]] : tensor<1x3x1x?x?xf32> into tensor<1x3x?x?xf32>
  return %y : tensor<1x3x?x?xf32>
}

// The same the other way round, and beside each other.
// CHECK-LABEL: func.func @last
// CHECK: tensor.collapse_shape
func.func @last(%w: tensor<4x?x1xf32>, %n: index) -> tensor<?x1xf32> {
  %s = tensor.extract_slice %w[2, 0, 0] [1, %n, 1] [1, 1, 1] : tensor<4x?x1xf32> to tensor<1x?x1xf32>
  %y = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x?x1xf32> into tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// CHECK-LABEL: func.func @beside
// CHECK: tensor.collapse_shape
func.func @beside(%w: tensor<4x2x?xf32>, %n: index) -> tensor<1x?xf32> {
  %s = tensor.extract_slice %w[2, 1, 0] [1, 1, %n] [1, 1, 1] : tensor<4x2x?xf32> to tensor<1x1x?xf32>
  %y = tensor.collapse_shape %s [[0], [1, 2]] : tensor<1x1x?xf32> into tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

// A slice that leaves out a dimension by itself says not which.
// CHECK-LABEL: func.func @reduced
// CHECK: tensor.collapse_shape
func.func @reduced(%w: tensor<4x2x?xf32>, %n: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %w[2, 1, 0] [1, 1, %n] [1, 1, 1] : tensor<4x2x?xf32> to tensor<1x?xf32>
  %y = tensor.collapse_shape %s [[0, 1]] : tensor<1x?xf32> into tensor<?xf32>
  return %y : tensor<?xf32>
}
