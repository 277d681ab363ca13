// Sixteen queries and the one that is left; a block of all keys, no score in the kernel.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s --target x86-64-v4 -p cpu-generate-attention | filecheck %s

// CHECK-LABEL: func.func @k
// CHECK-NEXT: call @attention.0(%arg0, %arg1, %arg1, %arg2)
// CHECK-NEXT: call @attention.0(%arg0, %arg1, %arg1, %arg3)
// CHECK-NEXT: return

// CHECK-LABEL: func.func private @attention.0
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<20x16xf32>
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<9x16xf32>
// CHECK: scf.for
// CHECK: vector.shuffle
// CHECK: vector.fma
// CHECK: math.exp
// CHECK: vector.fma
// CHECK: arith.divf
// CHECK: vector.maskedload
#q = affine_map<(n, h, l, s, d, e) -> (n, h, l, d)>
#k = affine_map<(n, h, l, s, d, e) -> (n, h, s, d)>
#v = affine_map<(n, h, l, s, d, e) -> (n, h, s, e)>
#o = affine_map<(n, h, l, s, d, e) -> (n, h, l, e)>
func.func @k(%q: memref<1x2x17x20xf32>, %x: memref<1x2x9x20xf32>,
             %o: memref<1x2x17x20xf32>, %p: memref<1x2x17x20xf32>) {
  linalg.generic {indexing_maps = [#q, #k, #v, #o],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction",
                        "parallel"],
      dycl.nest = "attention",
      dycl.attention = {empty_is_zero = true, fills = false, is_causal = false,
                        scale = 0.25 : f64}}
      ins(%q, %x, %x : memref<1x2x17x20xf32>, memref<1x2x9x20xf32>,
                       memref<1x2x9x20xf32>)
      outs(%o : memref<1x2x17x20xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    linalg.yield %d : f32
  }
  linalg.generic {indexing_maps = [#q, #k, #v, #o],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction",
                        "parallel"],
      dycl.nest = "attention",
      dycl.attention = {empty_is_zero = true, fills = false, is_causal = false,
                        scale = 0.25 : f64}}
      ins(%q, %x, %x : memref<1x2x17x20xf32>, memref<1x2x9x20xf32>,
                       memref<1x2x9x20xf32>)
      outs(%p : memref<1x2x17x20xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    linalg.yield %d : f32
  }
  return
}
