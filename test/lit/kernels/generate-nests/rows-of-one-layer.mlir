// Rows of one layer of several are a known number of elements apart; where they begin, a
// run decides.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-nests --target x86-64-v4 | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: call @nest.0({{.*}}) : (index, memref<1xf32>, {{.*}}memref<32x64xf32>, memref<1xf32>) -> ()
// CHECK-LABEL: func.func private @nest.0(
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [%{{.*}}, 32], strides: [32, 1]
func.func @k(%h: memref<2x?x32xf32>, %n: index, %w: memref<32x64xf32>, %y: memref<?x64xf32>) {
  %x = memref.subview %h[1, 0, 0] [1, %n, 32] [1, 1, 1]
    : memref<2x?x32xf32> to memref<?x32xf32, strided<[32, 1], offset: ?>>
  linalg.generic {dycl.nest = "matmul",
                  indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                   affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : memref<?x32xf32, strided<[32, 1], offset: ?>>, memref<32x64xf32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %t, %p : f32
    linalg.yield %s : f32
  }
  return
}
