// What looks at all samples stands between two kernels of one sample; a number that both
// ask for parts nothing.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-outline-samples | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: dycl.sample_of = @k.sample.0
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel"]
// CHECK: dycl.sample_of = @k.sample.1
// CHECK-LABEL: func.func private @k.sample.0(
// CHECK: linalg.pooling_ncw_max
// CHECK-LABEL: func.func private @k.sample.1(
// CHECK: arith.subf
// CHECK: linalg.pooling_ncw_sum
func.func @k(%x: tensor<?x4x8xf32>, %total: tensor<4xf32>) -> tensor<?x4x3xf32> {
  %c0 = arith.constant 0 : index
  %low = arith.constant -1.0 : f32
  %zero = arith.constant 0.0 : f32
  %window = tensor.empty() : tensor<2xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4x8xf32>
  %e = tensor.empty(%n) : tensor<?x4x7xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<?x4x7xf32>) -> tensor<?x4x7xf32>
  %a = linalg.pooling_ncw_max
    {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>}
    ins(%x, %window : tensor<?x4x8xf32>, tensor<2xf32>)
    outs(%i : tensor<?x4x7xf32>) -> tensor<?x4x7xf32>
  %part = tensor.extract_slice %a[0, 0, 0] [%n, 4, 1] [1, 1, 1]
    : tensor<?x4x7xf32> to tensor<?x4x1xf32>
  %flat = tensor.collapse_shape %part [[0], [1, 2]]
    : tensor<?x4x1xf32> into tensor<?x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(n, c) -> (n, c)>,
                                        affine_map<(n, c) -> (c)>],
                       iterator_types = ["reduction", "parallel"]}
    ins(%flat : tensor<?x4xf32>) outs(%total : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %m = tensor.dim %a, %c0 : tensor<?x4x7xf32>
  %f = tensor.empty(%m) : tensor<?x4x7xf32>
  %less = linalg.generic {indexing_maps = [affine_map<(n, c, w) -> (n, c, w)>,
                                           affine_map<(n, c, w) -> (c)>,
                                           affine_map<(n, c, w) -> (n, c, w)>],
                          iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a, %s : tensor<?x4x7xf32>, tensor<4xf32>) outs(%f : tensor<?x4x7xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %d = arith.subf %in, %sum : f32
    linalg.yield %d : f32
  } -> tensor<?x4x7xf32>
  %g = tensor.empty(%m) : tensor<?x4x3xf32>
  %j = linalg.fill ins(%zero : f32) outs(%g : tensor<?x4x3xf32>) -> tensor<?x4x3xf32>
  %y = linalg.pooling_ncw_sum
    {dilations = dense<1> : vector<1xi64>, strides = dense<2> : vector<1xi64>}
    ins(%less, %window : tensor<?x4x7xf32>, tensor<2xf32>)
    outs(%j : tensor<?x4x3xf32>) -> tensor<?x4x3xf32>
  return %y : tensor<?x4x3xf32>
}
