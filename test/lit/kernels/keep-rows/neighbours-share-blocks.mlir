// What another convolution reads, or a kernel gives in blocks, is left for blocks; so
// are rows that fill few lanes, and channels so many that packing weighs little.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-rows | filecheck %s

// CHECK-NOT: dycl.nest

func.func @two(%x: tensor<1x32x8x8xf32>, %w: tensor<32x32x1x1xf32>,
               %v: tensor<32x32x3x3xf32>, %i: tensor<1x32x8x8xf32>,
               %j: tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32> {
  %z = arith.constant 0.0 : f32
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>)
      outs(%i : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %p = tensor.pad %y low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %z : f32
  } : tensor<1x32x8x8xf32> to tensor<1x32x10x10xf32>
  %r = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%p, %v : tensor<1x32x10x10xf32>, tensor<32x32x3x3xf32>)
      outs(%j : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  return %r : tensor<1x32x8x8xf32>
}

func.func @border(%x: tensor<1x32x8x8xf32> {dycl.blocked = array<i64: 1, 16>},
                  %w: tensor<32x32x1x1xf32>,
                  %i: tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>)
      outs(%i : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  return %y : tensor<1x32x8x8xf32>
}

func.func @result(%x: tensor<1x32x8x8xf32>, %w: tensor<32x32x1x1xf32>,
                  %i: tensor<1x32x8x8xf32>)
    -> (tensor<1x32x8x8xf32> {dycl.blocked = array<i64: 1, 16>}) {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>)
      outs(%i : tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  return %y : tensor<1x32x8x8xf32>
}

func.func @short_rows(%x: tensor<1x32x9x9xf32>, %w: tensor<32x3x3xf32>,
                      %i: tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32> {
  %y = linalg.depthwise_conv_2d_nchw_chw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x32x9x9xf32>, tensor<32x3x3xf32>)
      outs(%i : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  return %y : tensor<1x32x7x7xf32>
}

func.func @many_channels(%x: tensor<1x512x8x8xf32>, %w: tensor<512x512x1x1xf32>,
                         %i: tensor<1x512x8x8xf32>) -> tensor<1x512x8x8xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x512x8x8xf32>, tensor<512x512x1x1xf32>)
      outs(%i : tensor<1x512x8x8xf32>) -> tensor<1x512x8x8xf32>
  return %y : tensor<1x512x8x8xf32>
}
