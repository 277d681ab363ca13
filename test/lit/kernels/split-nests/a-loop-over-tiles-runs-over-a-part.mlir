// The outer loop has 200 trips, 100 for each of two parts. A kernel's call does all.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-nests | filecheck %s

// CHECK: func.func @k
// CHECK: %[[PART:.*]] = arith.constant 0 : index
// CHECK: %[[PARTS:.*]] = arith.constant 1 : index
// CHECK: call @nest.0(%{{.*}}, %[[PART]], %[[PARTS]])
// CHECK: func.func private @nest.0(%{{.*}}: memref<400x400x16xf32>, %[[P:.*]]: index, %[[N:.*]]: index)
// CHECK-SAME: dycl.split
// CHECK: %[[NEXT:.*]] = arith.addi %[[P]]
// CHECK: arith.muli %[[P]], %c200
// CHECK: arith.ceildivui %{{.*}}, %[[N]]
// CHECK: %[[LOW:.*]] = arith.addi
// CHECK: arith.muli %[[NEXT]], %c200
// CHECK: %[[HIGH:.*]] = arith.addi
// CHECK: scf.for %{{.*}} = %[[LOW]] to %[[HIGH]] step %c2
// CHECK: scf.for %{{.*}} = %c0 to %c400
module attributes {dycl.threads = 2 : i64} {
  func.func @k(%x: memref<400x400x16xf32>) {
    call @nest.0(%x) : (memref<400x400x16xf32>) -> ()
    return
  }
  func.func private @nest.0(%x: memref<400x400x16xf32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c400 = arith.constant 400 : index
    %v = arith.constant dense<1.0> : vector<16xf32>
    scf.for %i = %c0 to %c400 step %c2 {
      scf.for %j = %c0 to %c400 step %c1 {
        vector.store %v, %x[%i, %j, %c0] : memref<400x400x16xf32>, vector<16xf32>
      }
    }
    return
  }
}
