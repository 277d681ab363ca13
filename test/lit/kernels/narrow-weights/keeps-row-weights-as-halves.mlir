// What one row is multiplied with is kept as bf16, and widened where it is read.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s --narrow -p cpu-block-matmuls,cpu-narrow-weights | filecheck %s
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls,cpu-narrow-weights | filecheck %s --check-prefix=WIDE
// RUN: dycl-kernel-opt %s --narrow --stage linalg --stage memref | filecheck %s --check-prefix=NEST

// CHECK: %[[W:.*]] = linalg.pack %arg1
// CHECK: %[[N:.*]] = linalg.generic
// CHECK-SAME: ins(%[[W]] : tensor<2x512x64xf32>) outs({{.*}} : tensor<2x512x64xi16>)
// CHECK: arith.trunci {{.*}} : i32 to i16
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0, %[[N]]
// CHECK-SAME: dycl.nest = "matmul"
// CHECK: arith.extf {{.*}} : bf16 to f32

// WIDE-NOT: bf16

// NEST: func.func @k({{.*}}memref<2x512x64xi16>
// NEST: vector.load {{.*}} vector<16xi16>
// NEST: arith.extui {{.*}} vector<16xi16> to vector<16xi32>
// NEST: vector.fma
func.func @k(%x: tensor<1x512xf32>, %w: tensor<512x100xf32>, %i: tensor<1x100xf32>)
    -> tensor<1x100xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<1x512xf32>, tensor<512x100xf32>)
      outs(%i : tensor<1x100xf32>) -> tensor<1x100xf32>
  return %y : tensor<1x100xf32>
}
