// What selects its own operand where it is greater or a NaN gives the NaN: so does eager.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-compare-ordered | filecheck %s

// CHECK: arith.cmpf ugt, %arg0, %arg1
func.func @k(%x: f32, %bound: f32) -> f32 {
  %c = arith.cmpf ugt, %x, %bound : f32
  %y = arith.select %c, %x, %bound : f32
  return %y : f32
}
