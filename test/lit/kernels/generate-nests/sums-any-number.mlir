// A run decides how many products are summed up: the loop over them ends at the size, and
// carries the sums of a tile.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-nests | filecheck %s

// CHECK: func.func private @nest.0({{.*}}: index
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: linalg.generic
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>
module attributes {dycl.target = "x86-64-v4"} {
  func.func @k(%x: memref<4x?xf32>, %w: memref<?x32xf32>, %out: memref<4x32xf32>) {
    linalg.generic {dycl.nest = "matmul", indexing_maps = [#x, #w, #y],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<4x?xf32>, memref<?x32xf32>) outs(%out : memref<4x32xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    }
    return
  }
}
