// The state of a layer is a slice without the dimension of layers: its rows are a known
// number of elements apart.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fold-collapsed-slices | filecheck %s

// CHECK-LABEL: func.func @k
// CHECK-NEXT: %[[Y:.*]] = tensor.extract_slice %{{.*}}[1, 0, 0] [1, %{{.*}}, 256] [1, 1, 1] : tensor<2x?x256xf32> to tensor<?x256xf32>
// CHECK-NEXT: return %[[Y]]
func.func @k(%h: tensor<2x?x256xf32>, %n: index) -> tensor<?x256xf32> {
  %s = tensor.extract_slice %h[1, 0, 0] [1, %n, 256] [1, 1, 1] : tensor<2x?x256xf32> to tensor<1x?x256xf32>
  %y = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x?x256xf32> into tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

// What else reads the slice still has it.
// CHECK-LABEL: func.func @twice
// CHECK: tensor.extract_slice {{.*}} to tensor<1x?x256xf32>
// CHECK: tensor.extract_slice {{.*}} to tensor<?x256xf32>
func.func @twice(%h: tensor<2x?x256xf32>, %n: index) -> (tensor<?x256xf32>, tensor<1x?x256xf32>) {
  %s = tensor.extract_slice %h[1, 0, 0] [1, %n, 256] [1, 1, 1] : tensor<2x?x256xf32> to tensor<1x?x256xf32>
  %y = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x?x256xf32> into tensor<?x256xf32>
  return %y, %s : tensor<?x256xf32>, tensor<1x?x256xf32>
}

// Both dimensions of one go.
// CHECK-LABEL: func.func @both
// CHECK-NEXT: tensor.extract_slice %{{.*}}[2, 0, 1] [1, %{{.*}}, 1] [1, 1, 1] : tensor<4x?x2xf32> to tensor<?xf32>
// CHECK-NEXT: return
func.func @both(%w: tensor<4x?x2xf32>, %n: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %w[2, 0, 1] [1, %n, 1] [1, 1, 1] : tensor<4x?x2xf32> to tensor<1x?x1xf32>
  %y = tensor.collapse_shape %s [[0, 1, 2]] : tensor<1x?x1xf32> into tensor<?xf32>
  return %y : tensor<?xf32>
}
