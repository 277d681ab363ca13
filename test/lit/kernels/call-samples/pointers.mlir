// Pointers, and from which sample to which; one sample is 256 bytes, its weights stay in place.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-call-samples | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: %[[N:.*]] = memref.dim %arg2
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[X:.*]] = memref.reinterpret_cast %arg0
// CHECK-SAME: sizes: [1]
// CHECK: %[[Y:.*]] = memref.reinterpret_cast %arg2
// CHECK: call @k.sample.0.all(%[[X]], %arg1, %[[Y]], %[[ZERO]], %[[N]])
// CHECK: func.func private @k.sample.0.all(memref<1xf32>, memref<8xf32>, memref<1xf32>, index, index) attributes {dycl.steps = array<i64: 256, 0, 32>}
func.func @k(%x: memref<?x8x8xf32>, %w: memref<8xf32>, %y: memref<?x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, a, b, c, d) -> (n, a, b)>,
                                   affine_map<(n, a, b, c, d) -> (c)>,
                                   affine_map<(n, a, b, c, d) -> (n, d)>],
                  iterator_types = ["parallel", "reduction", "reduction",
                                    "reduction", "parallel"],
                  dycl.sample_of = @k.sample.0,
                  dycl.sample_dims = array<i64: 0, -1, 0>}
    ins(%x, %w : memref<?x8x8xf32>, memref<8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  return
}
