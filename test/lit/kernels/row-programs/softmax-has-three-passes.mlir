// The maximum; the exponentials, kept, and their sum; the quotients. 20 elements are one
// vector and four lanes of another; one row.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-row-programs,canonicalize,cse | filecheck %s

#wide = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: linalg
// CHECK: %[[ROW:.*]] = memref.alloc() {{.*}} : memref<20xf32>
// CHECK-NOT: memref.alloc
// CHECK: vector.load
// CHECK: vector.constant_mask [4]
// CHECK: vector.maskedload
// CHECK: arith.maximumf
// CHECK: vector.reduction <maximumf>
// CHECK: math.exp
// CHECK: vector.store %{{.*}}, %[[ROW]]
// CHECK: math.exp
// CHECK: vector.maskedstore %[[ROW]]
// CHECK: vector.reduction <add>
// CHECK-NOT: math.exp
// CHECK: vector.load %[[ROW]]
// CHECK: arith.divf
// CHECK: vector.maskedload %[[ROW]]
// CHECK: arith.divf
// CHECK-NOT: linalg
func.func @softmax(%x: memref<1x20xf32>, %y: memref<1x20xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<1xf32>
  %e = memref.alloc() : memref<1x20xf32>
  %sum = memref.alloc() : memref<1xf32>
  linalg.fill ins(%least : f32) outs(%max : memref<1xf32>)
  linalg.generic {indexing_maps = [#wide, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<1x20xf32>) outs(%max : memref<1xf32>) {
  ^bb0(%a: f32, %m: f32):
    %t = arith.maximumf %a, %m : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#wide, #row, #wide],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : memref<1x20xf32>, memref<1xf32>) outs(%e : memref<1x20xf32>) {
  ^bb0(%a: f32, %m: f32, %out: f32):
    %d = arith.subf %a, %m : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<1xf32>)
  linalg.generic {indexing_maps = [#wide, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%e : memref<1x20xf32>) outs(%sum : memref<1xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#wide, #row, #wide],
      iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : memref<1x20xf32>, memref<1xf32>) outs(%y : memref<1x20xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %t = arith.divf %a, %s : f32
    linalg.yield %t : f32
  }
  return
}
