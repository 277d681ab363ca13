// The sum that a row program carries takes its products unrounded; its order is its own.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-allow-fma | filecheck %s

// CHECK: %[[D:[0-9a-z_]+]] = arith.mulf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: %[[P:[0-9a-z_]+]] = arith.mulf %[[D]], %[[D]] fastmath<contract>
// CHECK: arith.addf %arg{{[0-9]+}}, %[[P]] fastmath<contract>
func.func @k(%x: memref<64xf32>, %w: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %sum = scf.for %i = %c0 to %c64 step %c16 iter_args(%acc = %w) -> vector<16xf32> {
    %v = vector.load %x[%i] : memref<64xf32>, vector<16xf32>
    %d = arith.mulf %v, %w : vector<16xf32>
    %p = arith.mulf %d, %d : vector<16xf32>
    %s = arith.addf %acc, %p : vector<16xf32>
    scf.yield %s : vector<16xf32>
  }
  return %sum : vector<16xf32>
}
