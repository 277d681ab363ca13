// Threads share the rows inside of @nest.0: the last part gets what is left of them.
// In @nest.1 one of two parts would have two of three steps: the outer loop is shared.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-nests | filecheck %s

// CHECK-LABEL: func.func private @nest.0(
// CHECK-SAME: %[[P:arg[0-9]+]]: index, %[[N:arg[0-9]+]]: index)
// CHECK: scf.for %{{.*}} = %c0 to %c300 step %c1
// CHECK: arith.muli %[[P]], %c6
// CHECK: arith.ceildivui %{{.*}}, %[[N]]
// CHECK: %[[LOW:.*]] = arith.addi
// CHECK: arith.ceildivui
// CHECK: %[[HIGH:.*]] = arith.addi
// CHECK: scf.for %{{.*}} = %[[LOW]] to %[[HIGH]] step %c10
// CHECK: arith.divui %{{.*}}, %[[N]]
// CHECK: %[[LOW2:.*]] = arith.addi
// CHECK: arith.divui
// CHECK: %[[HIGH2:.*]] = arith.addi
// CHECK: scf.for %{{.*}} = %[[LOW2]] to %[[HIGH2]] step %c4

// CHECK-LABEL: func.func private @nest.1(
// CHECK: scf.for %{{.*}} = %{{[0-9]+}} to %{{[0-9]+}} step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c60 step %c20
module attributes {dycl.threads = 2 : i64} {
  func.func private @nest.0(%x: memref<300x64x16xf32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c10 = arith.constant 10 : index
    %c60 = arith.constant 60 : index
    %c64 = arith.constant 64 : index
    %c300 = arith.constant 300 : index
    %v = arith.constant dense<1.0> : vector<16xf32>
    scf.for %i = %c0 to %c300 step %c1 {
      scf.for %j = %c0 to %c60 step %c10 {
        vector.store %v, %x[%i, %j, %c0] : memref<300x64x16xf32>, vector<16xf32>
        %w = vector.load %x[%i, %j, %c0] : memref<300x64x16xf32>, vector<16xf32>
        %a = arith.addf %w, %w : vector<16xf32>
        %b = arith.addf %a, %w : vector<16xf32>
        %c = arith.addf %b, %w : vector<16xf32>
        vector.store %c, %x[%i, %j, %c0] : memref<300x64x16xf32>, vector<16xf32>
      } {dycl.rows}
      scf.for %j = %c60 to %c64 step %c4 {
        vector.store %v, %x[%i, %j, %c0] : memref<300x64x16xf32>, vector<16xf32>
      } {dycl.rows}
    }
    return
  }
  func.func private @nest.1(%x: memref<9000x64x16xf32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c20 = arith.constant 20 : index
    %c60 = arith.constant 60 : index
    %c9000 = arith.constant 9000 : index
    %v = arith.constant dense<1.0> : vector<16xf32>
    scf.for %i = %c0 to %c9000 step %c1 {
      scf.for %j = %c0 to %c60 step %c20 {
        vector.store %v, %x[%i, %j, %c0] : memref<9000x64x16xf32>, vector<16xf32>
      } {dycl.rows}
    }
    return
  }
}
