// A pack and an unpack become copies; one that pads reads inside of its source only.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-lower-blocks | filecheck %s

// CHECK: linalg.generic
// CHECK-SAME: (d0, d1, d2, d3) -> (d0, d1 * 16 + d3, d2)
// CHECK-SAME: dycl.channels = 32 : i64, dycl.nest = "pack"
// CHECK: linalg.generic
// CHECK-SAME: (d0, d1, d2) -> (d0, d1 floordiv 16, d2, d1 mod 16)
// CHECK-SAME: dycl.channels = 32 : i64, dycl.nest = "unpack"
// CHECK: linalg.generic
// CHECK-SAME: dycl.channels = 20 : i64, dycl.nest = "pack"
// CHECK: arith.minui
// CHECK: tensor.extract
// CHECK: arith.select
func.func @k(%x: tensor<1x32x9xf32>, %z: tensor<1x20x9xf32>)
    -> (tensor<1x32x9xf32>, tensor<1x2x9x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x9x16xf32>
  %d = tensor.empty() : tensor<1x32x9xf32>
  %p = linalg.pack %x inner_dims_pos = [1] inner_tiles = [16] into %e
      : tensor<1x32x9xf32> -> tensor<1x2x9x16xf32>
  %u = linalg.unpack %p inner_dims_pos = [1] inner_tiles = [16] into %d
      : tensor<1x2x9x16xf32> -> tensor<1x32x9xf32>
  %q = linalg.pack %z padding_value(%zero : f32) inner_dims_pos = [1] inner_tiles = [16]
      into %e : tensor<1x20x9xf32> -> tensor<1x2x9x16xf32>
  return %u, %q : tensor<1x32x9xf32>, tensor<1x2x9x16xf32>
}
