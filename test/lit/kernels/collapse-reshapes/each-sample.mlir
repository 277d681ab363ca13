// A reshape of each sample; one of the number of samples stays.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-collapse-reshapes | filecheck %s

// CHECK-LABEL: func.func @flat
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2]] : tensor<?x4x3xf32> into tensor<?x12xf32>
// CHECK-NOT: tensor.reshape
func.func @flat(%x: tensor<?x4x3xf32>, %s: tensor<2xi64>) -> tensor<?x12xf32> {
  %y = tensor.reshape %x(%s) : (tensor<?x4x3xf32>, tensor<2xi64>) -> tensor<?x12xf32>
  return %y : tensor<?x12xf32>
}

// CHECK-LABEL: func.func @other
// CHECK: tensor.collapse_shape %arg0
// CHECK: tensor.expand_shape {{.*}} : tensor<?x12xf32> into tensor<?x6x2xf32>
func.func @other(%x: tensor<1x?x4x3xf32>, %s: tensor<3xi64>) -> tensor<?x6x2xf32> {
  %y = tensor.reshape %x(%s)
    : (tensor<1x?x4x3xf32>, tensor<3xi64>) -> tensor<?x6x2xf32>
  return %y : tensor<?x6x2xf32>
}

// CHECK-LABEL: func.func @numbers
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<?x1xf32> into tensor<?xf32>
func.func @numbers(%x: tensor<?x1xf32>, %s: tensor<1xi64>) -> tensor<?xf32> {
  %y = tensor.reshape %x(%s) : (tensor<?x1xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @columns
// CHECK: tensor.expand_shape %arg0 {{\[\[}}0, 1, 2]]
func.func @columns(%x: tensor<?xf32>, %s: tensor<3xi64>) -> tensor<1x?x1xf32> {
  %y = tensor.reshape %x(%s) : (tensor<?xf32>, tensor<3xi64>) -> tensor<1x?x1xf32>
  return %y : tensor<1x?x1xf32>
}

// CHECK-LABEL: func.func @fewer
// CHECK: tensor.reshape
func.func @fewer(%x: tensor<?x4xf32>, %s: tensor<2xi64>) -> tensor<?x8xf32> {
  %y = tensor.reshape %x(%s) : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
