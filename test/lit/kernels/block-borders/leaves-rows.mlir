// Without the attribute nothing changes.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-borders | filecheck %s

// CHECK: func.func @k(%{{.*}}: tensor<1x24x8x8xf32>) -> tensor<1x24x8x8xf32>
// CHECK-NOT: pack
func.func @k(%x: tensor<1x24x8x8xf32>) -> tensor<1x24x8x8xf32> {
  return %x : tensor<1x24x8x8xf32>
}
