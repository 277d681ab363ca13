// Four filters in blocks of 16 would leave three lanes of four empty: pixels of a row are
// the lanes, even behind a convolution in blocks.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s --target x86-64-v4 -p cpu-keep-rows,cpu-block-contractions | filecheck %s

// CHECK-LABEL: func.func @behind_blocks
// CHECK: dycl.nest = "conv"
// CHECK: %[[U:.*]] = linalg.unpack
// CHECK: %[[W:.*]] = linalg.pack %arg2 {{.*}} tensor<3x32x3x3xf32> -> tensor<1x32x3x3x3xf32>
// CHECK: linalg.generic
// CHECK-SAME: (d0, d4, d2 + d5, d3 + d6)
// CHECK-SAME: (d1 floordiv 3, d4, d5, d6, d1 mod 3)
// CHECK-SAME: ins(%[[U]], %[[W]]
// CHECK-SAME: dycl.nest = "few-rows"
func.func @behind_blocks(%x: tensor<1x16x20x36xf32>, %v: tensor<32x16x3x3xf32>,
                         %w: tensor<3x32x3x3xf32>, %i: tensor<1x32x18x34xf32>,
                         %j: tensor<1x3x16x32xf32>) -> tensor<1x3x16x32xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %v : tensor<1x16x20x36xf32>, tensor<32x16x3x3xf32>)
      outs(%i : tensor<1x32x18x34xf32>) -> tensor<1x32x18x34xf32>
  %z = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%y, %w : tensor<1x32x18x34xf32>, tensor<3x32x3x3xf32>)
      outs(%j : tensor<1x3x16x32xf32>) -> tensor<1x3x16x32xf32>
  return %z : tensor<1x3x16x32xf32>
}

// Eight filters are in rows where nothing near is in blocks, and blocks do not save
// products: not for a window of 3x3 over 16 channels.
// CHECK-LABEL: func.func @alone
// CHECK: dycl.nest = "few-rows"
// CHECK-NOT: linalg.unpack
// CHECK: return
func.func @alone(%x: tensor<1x16x33x65xf32>, %w: tensor<8x16x3x3xf32>,
                 %i: tensor<1x8x16x32xf32>) -> tensor<1x8x16x32xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%x, %w : tensor<1x16x33x65xf32>, tensor<8x16x3x3xf32>)
      outs(%i : tensor<1x8x16x32xf32>) -> tensor<1x8x16x32xf32>
  return %y : tensor<1x8x16x32xf32>
}

// CHECK-LABEL: func.func @fewer_products
// CHECK-NOT: few-rows
// CHECK: return
func.func @fewer_products(%x: tensor<1x16x34x34xf32>, %w: tensor<8x16x3x3xf32>,
                          %i: tensor<1x8x32x32xf32>) -> tensor<1x8x32x32xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x16x34x34xf32>, tensor<8x16x3x3xf32>)
      outs(%i : tensor<1x8x32x32xf32>) -> tensor<1x8x32x32xf32>
  return %y : tensor<1x8x32x32xf32>
}

// Every other pixel of a larger image takes no vector: this one is for blocks.
// CHECK-LABEL: func.func @spread
// CHECK-NOT: -rows
// CHECK: dycl.nest = "conv"
// CHECK: return
func.func @spread(%x: tensor<1x24x8x8xf32>, %w: tensor<40x24x1x1xf32>,
                  %i: tensor<1x40x8x8xf32>, %into: tensor<1x40x16x16xf32>)
                  -> tensor<1x40x16x16xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x24x8x8xf32>, tensor<40x24x1x1xf32>)
      outs(%i : tensor<1x40x8x8xf32>) -> tensor<1x40x8x8xf32>
  %z = tensor.insert_slice %y into %into[0, 0, 1, 0] [1, 40, 8, 8] [1, 1, 2, 2]
      : tensor<1x40x8x8xf32> into tensor<1x40x16x16xf32>
  return %z : tensor<1x40x16x16xf32>
}
