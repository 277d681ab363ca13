// The argument has the type of its memory; an unpack gives what the body wants.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-borders | filecheck %s

// CHECK: func.func @k(%[[X:.*]]: tensor<1x2x8x8x16xf32>
// CHECK: linalg.unpack %[[X]] inner_dims_pos = [1] inner_tiles = [16]
// CHECK-SAME: -> tensor<1x32x8x8xf32>
func.func @k(%x: tensor<1x32x8x8xf32> {dycl.blocked = array<i64: 1, 16>}) -> tensor<1x32x8x8xf32> {
  return %x : tensor<1x32x8x8xf32>
}
