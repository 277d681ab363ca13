// What only the assertion needed goes, too; the loop can be vectorised.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-drop-asserts,canonicalize | filecheck %s

// CHECK: func.func @k
// CHECK-NOT: cf.assert
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @k(%i: index, %x: tensor<4xf32>) -> f32 {
  %c4 = arith.constant 4 : index
  %ok = arith.cmpi slt, %i, %c4 : index
  cf.assert %ok, "index must be smaller than dim size"
  %e = tensor.extract %x[%i] : tensor<4xf32>
  return %e : f32
}
