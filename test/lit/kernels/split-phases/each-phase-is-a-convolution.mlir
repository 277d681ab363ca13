// Stride 2 along rows and columns: the four phases have 1x1, 1x2, 2x1 and 2x2 of nine taps.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-phases,canonicalize | filecheck %s

// CHECK-NOT: tensor<1x32x16x20xf32>
// CHECK:      tensor.extract_slice %arg1[0, 0, 1, 1] [24, 32, 1, 1] [1, 1, 2, 2]
// CHECK:      linalg.conv_2d_nchw_fchw {dilations = dense<1> : {{.*}}, strides = dense<1> : {{.*}}} ins(%arg0, {{.*}} : tensor<1x32x7x9xf32>, tensor<24x32x1x1xf32>)
// CHECK:      tensor.pad %arg0 low[0, 0, 0, 0] high[0, 0, 0, 1]
// CHECK:      tensor.extract_slice %arg1[0, 0, 1, 0] [24, 32, 1, 2] [1, 1, 2, 2]
// CHECK:      tensor.extract_slice %arg1[0, 0, 0, 1] [24, 32, 2, 1] [1, 1, 2, 2]
// CHECK:      tensor.extract_slice %arg1[0, 0, 0, 0] [24, 32, 2, 2] [1, 1, 2, 2]
// CHECK:      tensor.insert_slice {{.*}}[0, 0, 0, 0] [1, 24, 7, 9] [1, 1, 2, 2]
// CHECK:      tensor.insert_slice {{.*}}[0, 0, 0, 1] [1, 24, 7, 9] [1, 1, 2, 2]
// CHECK:      tensor.insert_slice {{.*}}[0, 0, 1, 0] [1, 24, 7, 9] [1, 1, 2, 2]
// CHECK:      tensor.insert_slice {{.*}}[0, 0, 1, 1] [1, 24, 7, 9] [1, 1, 2, 2]
func.func @k(%x: tensor<1x32x7x9xf32>, %w: tensor<24x32x3x3xf32>) -> tensor<1x24x14x18xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x16x20xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x16x20xf32>) -> tensor<1x32x16x20xf32>
  %z = tensor.insert_slice %x into %zeros[0, 0, 1, 1] [1, 32, 7, 9] [1, 1, 2, 2] : tensor<1x32x7x9xf32> into tensor<1x32x16x20xf32>
  %o = tensor.empty() : tensor<1x24x14x18xf32>
  %i = linalg.fill ins(%zero : f32) outs(%o : tensor<1x24x14x18xf32>) -> tensor<1x24x14x18xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%z, %w : tensor<1x32x16x20xf32>, tensor<24x32x3x3xf32>) outs(%i : tensor<1x24x14x18xf32>) -> tensor<1x24x14x18xf32>
  return %y : tensor<1x24x14x18xf32>
}
