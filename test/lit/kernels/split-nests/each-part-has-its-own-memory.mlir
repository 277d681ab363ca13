// A part of a nest with memory for each part begins at its own; where the nest is not
// split, all of it begins where it did.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-nests | filecheck %s

// CHECK:      func.func private @nest.0(%arg0: memref<128x2048xf32>, %arg1: memref<2048xf32>, %arg2: index, %arg3: index)
// CHECK-SAME: dycl.split
// CHECK-NOT:  dycl.rooms
// CHECK:      %[[SIZE:.*]] = arith.constant 2048 : index
// CHECK:      %[[BEGIN:.*]] = arith.muli %arg2, %[[SIZE]] : index
// CHECK:      %[[MINE:.*]] = memref.reinterpret_cast %arg1 to offset: [%[[BEGIN]]], sizes: [2048], strides: [1] : memref<2048xf32> to memref<2048xf32, strided<[1], offset: ?>>
// CHECK:      vector.store %{{.*}}, %[[MINE]][%{{.*}}]
// CHECK:      vector.load %[[MINE]][%{{.*}}]

// CHECK:      func.func private @nest.1(%arg0: memref<128x2048xf32>, %arg1: memref<2048xf32>)
// CHECK-NOT:  dycl.rooms
// CHECK-NOT:  reinterpret_cast
// CHECK:      func.func @kernel
module attributes {dycl.threads = 2 : i64} {
  func.func private @nest.0(%x: memref<128x2048xf32>, %room: memref<2048xf32>) attributes {dycl.rooms = array<i64: 1, 2048>, llvm.linkage = #llvm.linkage<internal>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    %c2048 = arith.constant 2048 : index
    scf.for %i = %c0 to %c128 step %c1 {
      scf.for %j = %c0 to %c2048 step %c16 {
        %v = vector.load %x[%i, %j] : memref<128x2048xf32>, vector<16xf32>
        vector.store %v, %room[%j] : memref<2048xf32>, vector<16xf32>
      }
      scf.for %j = %c0 to %c2048 step %c16 {
        %v = vector.load %room[%j] : memref<2048xf32>, vector<16xf32>
        %d = arith.addf %v, %v : vector<16xf32>
        vector.store %d, %x[%i, %j] : memref<128x2048xf32>, vector<16xf32>
      }
    } {dycl.rows}
    return
  }
  func.func private @nest.1(%x: memref<128x2048xf32>, %room: memref<2048xf32>) attributes {dycl.rooms = array<i64: 1, 2048>, llvm.linkage = #llvm.linkage<internal>} {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0] : memref<128x2048xf32>, vector<16xf32>
    vector.store %v, %room[%c0] : memref<2048xf32>, vector<16xf32>
    return
  }
  func.func @kernel(%x: memref<128x2048xf32>) {
    %room = memref.alloc() : memref<4096xf32>
    %seen = memref.reinterpret_cast %room to offset: [0], sizes: [2048], strides: [1] : memref<4096xf32> to memref<2048xf32>
    func.call @nest.0(%x, %seen) : (memref<128x2048xf32>, memref<2048xf32>) -> ()
    func.call @nest.1(%x, %seen) : (memref<128x2048xf32>, memref<2048xf32>) -> ()
    return
  }
}
