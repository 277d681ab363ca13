// The rows of a Fourier matrix of four share their sums; a concatenation is read in its
// pieces, and a matrix that a batch repeats is one.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-factor-products | filecheck %s

// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-SAME: ins(%arg0, %arg1, {{.*}} : tensor<3x2x8xf32>, tensor<3x2x8xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
// CHECK-SAME: dycl.matrices = {{.*}}, dycl.nest = "factored"
// CHECK-NOT: linalg.batch_matmul
func.func @k(%x: tensor<3x2x8xf32>, %y: tensor<3x2x8xf32>, %i: tensor<3x4x8xf32>) -> tensor<3x4x8xf32> {
  %w = arith.constant dense<[[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [1.0, -1.0, -1.0, 1.0]]> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<3x4x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (b, c)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<4x4xf32>) outs(%e : tensor<3x4x4xf32>) {
  ^body(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<3x4x4xf32>
  %c = tensor.concat dim(1) %x, %y : (tensor<3x2x8xf32>, tensor<3x2x8xf32>) -> tensor<3x4x8xf32>
  %r = linalg.batch_matmul ins(%b, %c : tensor<3x4x4xf32>, tensor<3x4x8xf32>) outs(%i : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  return %r : tensor<3x4x8xf32>
}
