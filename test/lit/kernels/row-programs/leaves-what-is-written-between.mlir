// What is subtracted from each element is changed after it was summed up: two ops that
// may not be one program. The sum alone is one.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-row-programs,canonicalize,cse | filecheck %s

#wide = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func.func @centred
// CHECK: vector.reduction <add>
// CHECK: memref.store %{{.*}}, %arg2
// CHECK: linalg.generic
func.func @centred(%x: memref<4x20xf32>, %y: memref<4x20xf32>, %sum: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %at = arith.constant 0 : index
  linalg.fill ins(%zero : f32) outs(%sum : memref<4xf32>)
  linalg.generic {indexing_maps = [#wide, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x20xf32>) outs(%sum : memref<4xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  memref.store %zero, %sum[%at] : memref<4xf32>
  linalg.generic {indexing_maps = [#wide, #row, #wide],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<4x20xf32>, memref<4xf32>) outs(%y : memref<4x20xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %t = arith.subf %a, %s : f32
    linalg.yield %t : f32
  }
  return
}
