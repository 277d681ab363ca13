// Both factors are rounded; an instruction adds two products to each sum.
// REQUIRES: torch-mlir, avx512_bf16
// RUN: dycl-kernel-opt %s --matmul-dtype bf16 -p cpu-block-matmuls,cpu-narrow-products | filecheck %s
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls,cpu-narrow-products | filecheck %s --check-prefix=WIDE
// RUN: dycl-kernel-opt %s --matmul-dtype bf16 --stage linalg --stage memref | filecheck %s --check-prefix=NEST

// CHECK: %[[X:.*]] = linalg.generic
// CHECK-SAME: ins(%arg0 : tensor<8x512xf32>) outs({{.*}} : tensor<8x512xi16>)
// CHECK-SAME: dycl.nest = "round"
// CHECK: %[[B:.*]] = linalg.pack %arg1
// CHECK: %[[P:.*]] = tensor.expand_shape %[[B]]
// CHECK: %[[W:.*]] = linalg.generic
// CHECK-SAME: ins(%[[P]] : tensor<2x256x2x64xf32>) outs({{.*}} : tensor<2x256x64x2xi16>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %[[W]]
// CHECK-SAME: dycl.nest = "matmul-pairs"
// CHECK: arith.extf {{.*}} : bf16 to f32

// WIDE-NOT: bf16

// NEST: func.func @k({{.*}}memref<2x256x64x2xi16>
// NEST-NOT: arith.extf
// NEST: func.func private @copy
// NEST: x86.avx512.cvt.packed.f32_to_bf16
// NEST: func.func private @nest
// NEST: vector.load {{.*}} vector<32xi16>
// NEST: x86.avx512.dot
func.func @k(%x: tensor<8x512xf32>, %w: tensor<512x100xf32>, %i: tensor<8x100xf32>)
    -> tensor<8x100xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<8x512xf32>, tensor<512x100xf32>)
      outs(%i : tensor<8x100xf32>) -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}
