// Too little work; and a sum that is stored beside its loop.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-nests | filecheck %s

// CHECK-NOT: dycl.split
// CHECK-NOT: arith.divui
module attributes {dycl.threads = 2 : i64} {
  func.func private @nest.0(%x: memref<4x16xf32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %v = arith.constant dense<1.0> : vector<16xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      vector.store %v, %x[%i, %c0] : memref<4x16xf32>, vector<16xf32>
    }
    return
  }
  func.func private @nest.1(%x: memref<90000x16xf32>, %y: memref<16xf32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 90000 : index
    %v = arith.constant dense<1.0> : vector<16xf32>
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %v) -> vector<16xf32> {
      %a = vector.load %x[%i, %c0] : memref<90000x16xf32>, vector<16xf32>
      %u = vector.fma %a, %a, %t : vector<16xf32>
      scf.yield %u : vector<16xf32>
    }
    vector.store %s, %y[%c0] : memref<16xf32>, vector<16xf32>
    return
  }
}
