// 24 channels are two blocks; what is beyond the last channel is not said here.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-borders | filecheck %s

// CHECK: func.func @k(%[[X:.*]]: tensor<1x24x8x8xf32>) -> tensor<1x2x8x8x16xf32>
// CHECK: %[[P:.*]] = linalg.pack %[[X]]
// CHECK: return %[[P]]
func.func @k(%x: tensor<1x24x8x8xf32>) -> (tensor<1x24x8x8xf32> {dycl.blocked = array<i64: 1, 16>}) {
  return %x : tensor<1x24x8x8xf32>
}
