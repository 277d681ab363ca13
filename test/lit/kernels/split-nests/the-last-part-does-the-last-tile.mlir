// The tile that is left over, with its sum, belongs to the last part.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-nests | filecheck %s

// CHECK:      func.func private @nest.0({{.*}}, %{{.*}}: index, %{{.*}}: index) attributes {dycl.split = {{[0-9]+}} : i64
// CHECK:        scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:          scf.for
// CHECK:        }
// CHECK:        arith.cmpi eq
// CHECK-NEXT:   scf.if
// CHECK-NEXT:     scf.for
// CHECK:          vector.maskedstore
// CHECK-NEXT:   }
// CHECK-NEXT:   return
module attributes {dycl.threads = 2 : i64} {
  func.func private @nest.0(%x: memref<150x1000xf32>, %y: memref<1000xf32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %n = arith.constant 150 : index
    %m = arith.constant 592 : index
    %mask = arith.constant dense<[true, true, true, true, true, true, true, true, false, false, false, false, false, false, false, false]> : vector<16xi1>
    %v = arith.constant dense<1.0> : vector<16xf32>
    scf.for %j = %c0 to %m step %c16 {
      %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %v) -> vector<16xf32> {
        %a = vector.load %x[%i, %j] : memref<150x1000xf32>, vector<16xf32>
        %u = vector.fma %a, %a, %t : vector<16xf32>
        scf.yield %u : vector<16xf32>
      }
      vector.store %s, %y[%j] : memref<1000xf32>, vector<16xf32>
    }
    %w = arith.constant dense<2.0> : vector<16xf32>
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %w) -> vector<16xf32> {
      %a = vector.load %x[%i, %m] : memref<150x1000xf32>, vector<16xf32>
      %u = vector.fma %a, %a, %t : vector<16xf32>
      scf.yield %u : vector<16xf32>
    }
    vector.maskedstore %y[%m], %mask, %s : memref<1000xf32>, vector<16xi1>, vector<16xf32>
    return
  }
}
