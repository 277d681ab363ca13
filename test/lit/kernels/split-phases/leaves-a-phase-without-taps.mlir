// A window of one tap meets no pixel in every second result: that is no convolution.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-phases | filecheck %s

// CHECK:     tensor.insert_slice
// CHECK:     linalg.conv_1d_ncw_fcw {{.*}} tensor<1x32x13xf32>, tensor<24x32x1xf32>
// CHECK-NOT: linalg.conv
func.func @k(%x: tensor<1x32x7xf32>, %w: tensor<24x32x1xf32>) -> tensor<1x24x13xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x13xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x13xf32>) -> tensor<1x32x13xf32>
  %z = tensor.insert_slice %x into %zeros[0, 0, 0] [1, 32, 7] [1, 1, 2] : tensor<1x32x7xf32> into tensor<1x32x13xf32>
  %o = tensor.empty() : tensor<1x24x13xf32>
  %i = linalg.fill ins(%zero : f32) outs(%o : tensor<1x24x13xf32>) -> tensor<1x24x13xf32>
  %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
      ins(%z, %w : tensor<1x32x13xf32>, tensor<24x32x1xf32>) outs(%i : tensor<1x24x13xf32>) -> tensor<1x24x13xf32>
  return %y : tensor<1x24x13xf32>
}
