// Known sizes; sums; elements that are read where others are written; what is not at
// the index of a loop; and what only moves numbers one by one.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-loops | filecheck %s

// CHECK-NOT: dycl.split
// CHECK-NOT: scf.if
module attributes {dycl.threads = 2 : i64} {
  func.func @known(%x: memref<512x256xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<512x256xf32>) {
    ^bb0(%a: f32):
      %t = math.tanh %a : f32
      linalg.yield %t : f32
    }
    return
  }
  func.func @sums(%x: memref<?x256xf32>, %y: memref<?xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x256xf32>) outs(%y : memref<?xf32>) {
    ^bb0(%a: f32, %b: f32):
      %t = math.tanh %a : f32
      %s = arith.addf %t, %b : f32
      linalg.yield %s : f32
    }
    return
  }
  func.func @reads_its_result(%x: memref<?x256xf32>, %k: index) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<?x256xf32>) {
    ^bb0(%a: f32):
      %j = linalg.index 1 : index
      %r = memref.load %x[%k, %j] : memref<?x256xf32>
      %t = math.tanh %r : f32
      linalg.yield %t : f32
    }
    return
  }
  func.func @other_part(%x: memref<?x512xf32>, %n: index) {
    %a = memref.subview %x[0, 0] [%n, 256] [1, 1] : memref<?x512xf32> to memref<?x256xf32, strided<[512, 1]>>
    %b = memref.subview %x[0, 1] [%n, 256] [1, 1] : memref<?x512xf32> to memref<?x256xf32, strided<[512, 1], offset: 1>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?x256xf32, strided<[512, 1]>>) outs(%b : memref<?x256xf32, strided<[512, 1], offset: 1>>) {
    ^bb0(%c: f32, %d: f32):
      %t = math.tanh %c : f32
      linalg.yield %t : f32
    }
    return
  }
  func.func @every_other(%x: memref<?x256xf32>, %y: memref<?x256xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x256xf32>) outs(%y : memref<?x256xf32>) {
    ^bb0(%a: f32, %b: f32):
      %t = math.tanh %a : f32
      linalg.yield %t : f32
    }
    return
  }
  func.func @moves(%x: memref<?xi64>, %y: memref<?xi64>) {
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<?xi64>) outs(%y : memref<?xi64>) {
    ^bb0(%a: i64, %b: i64):
      linalg.yield %a : i64
    }
    return
  }
}
