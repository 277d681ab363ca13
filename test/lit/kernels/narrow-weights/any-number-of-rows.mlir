// What as many rows as a run decides are multiplied with is kept as bf16: calls with few
// of them read half as much. So does a batch of single rows.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s --narrow --target x86-64-v4 -p cpu-block-matmuls,cpu-narrow-weights | filecheck %s
// RUN: dycl-kernel-opt %s --narrow --target x86-64-v4 --stage linalg --stage memref | filecheck %s --check-prefix=NEST

// CHECK-LABEL: func.func @rows
// CHECK: %[[N:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<2x512x64xi16>)
// CHECK: ins(%arg0, %[[N]] : tensor<?x512xf32>, tensor<2x512x64xi16>)
// CHECK: arith.extf {{.*}} : bf16 to f32

// A tile widens a vector once, for all of its rows.
// NEST-LABEL: func.func private @nest.0
// NEST: scf.for
// NEST: arith.extui
// NEST-COUNT-24: vector.fma
// NEST-NOT: arith.extui
// NEST: scf.yield
func.func @rows(%x: tensor<?x512xf32>, %w: tensor<512x100xf32>, %i: tensor<?x100xf32>)
    -> tensor<?x100xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<?x512xf32>, tensor<512x100xf32>)
      outs(%i : tensor<?x100xf32>) -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}
