// A row that an index names is read in the body: its memory becomes an argument, as do
// numbers of the run; constants are made anew. A part of a buffer is a pointer and what
// is known of where it begins.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-loops | filecheck %s

// CHECK-LABEL: func.func @k
// CHECK-COUNT-3: memref.extract_strided_metadata
// CHECK-LABEL: func.func private @loop.0(
// CHECK-DAG:  arith.constant 2.0
// CHECK-DAG:  memref.reinterpret_cast %{{.*}} to offset: [256], sizes: [%{{.*}}, 256], strides: [1024, 1] : memref<f32> to memref<?x256xf32, strided<[1024, 1], offset: 256>>
// CHECK-DAG:  %[[TABLE:.*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [%arg1, 256], strides: [256, 1]
// CHECK:      linalg.generic
// CHECK:      memref.load %[[TABLE]]
module attributes {dycl.threads = 2 : i64} {
  func.func @k(%n: index, %x: memref<?x1024xf32>, %table: memref<?x256xf32>, %y: memref<?x256xf32>) {
    %two = arith.constant 2.0 : f32
    %c0 = arith.constant 0 : index
    %rows = memref.dim %x, %c0 : memref<?x1024xf32>
    %part = memref.subview %x[0, 256] [%rows, 256] [1, 1] : memref<?x1024xf32> to memref<?x256xf32, strided<[1024, 1], offset: 256>>
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%part : memref<?x256xf32, strided<[1024, 1], offset: 256>>) outs(%y : memref<?x256xf32>) {
    ^bb0(%a: f32, %b: f32):
      %j = linalg.index 1 : index
      %r = memref.load %table[%n, %j] : memref<?x256xf32>
      %s = arith.mulf %r, %two : f32
      %t = arith.addf %s, %a : f32
      %u = math.tanh %t : f32
      linalg.yield %u : f32
    }
    return
  }
}
