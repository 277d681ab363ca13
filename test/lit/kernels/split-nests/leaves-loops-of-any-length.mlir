// A run decides where a loop ends, and a tile that is left over follows it.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-nests | filecheck %s

// CHECK:      func.func private @nest.0(%[[N:.*]]: index, %{{[^:]*}}: memref<1000x16xf32>)
// CHECK-SAME:   attributes {llvm.linkage
// CHECK:        scf.for %{{.*}} = %{{.*}} to %[[N]] step
// CHECK-NOT:  dycl.split
module attributes {dycl.threads = 2 : i64} {
  func.func private @nest.0(%n: index, %x: memref<1000x16xf32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %trips = arith.constant 90000 : index
    %v = arith.constant dense<1.0> : vector<16xf32>
    scf.for %i = %c0 to %n step %c1 {
      %s = scf.for %k = %c0 to %trips step %c1 iter_args(%t = %v) -> vector<16xf32> {
        %u = vector.fma %v, %v, %t : vector<16xf32>
        scf.yield %u : vector<16xf32>
      }
      vector.store %s, %x[%i, %c0] : memref<1000x16xf32>, vector<16xf32>
    }
    vector.store %v, %x[%n, %c0] : memref<1000x16xf32>, vector<16xf32>
    return
  }
}
