// Without the attribute all is compiled together.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-outline-nests | filecheck %s

// CHECK: call @nest.0(
// CHECK: func.func private @nest.0(%
// CHECK-NOT: module
module {
  func.func @k(%x: memref<8xf32>, %y: memref<8xf32>) {
    call @nest.0(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
    return
  }
  func.func private @nest.0(%x: memref<8xf32>, %y: memref<8xf32>) attributes {llvm.linkage = #llvm.linkage<internal>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %v0 = memref.load %x[%i] : memref<8xf32>
      %v1 = arith.addf %v0, %v0 : f32
      %v2 = arith.addf %v1, %v1 : f32
      %v3 = arith.addf %v2, %v2 : f32
      %v4 = arith.addf %v3, %v3 : f32
      %v5 = arith.addf %v4, %v4 : f32
      %v6 = arith.addf %v5, %v5 : f32
      %v7 = arith.addf %v6, %v6 : f32
      %v8 = arith.addf %v7, %v7 : f32
      %v9 = arith.addf %v8, %v8 : f32
      %v10 = arith.addf %v9, %v9 : f32
      %v11 = arith.addf %v10, %v10 : f32
      %v12 = arith.addf %v11, %v11 : f32
      %v13 = arith.addf %v12, %v12 : f32
      %v14 = arith.addf %v13, %v13 : f32
      %v15 = arith.addf %v14, %v14 : f32
      %v16 = arith.addf %v15, %v15 : f32
      %v17 = arith.addf %v16, %v16 : f32
      %v18 = arith.addf %v17, %v17 : f32
      %v19 = arith.addf %v18, %v18 : f32
      %v20 = arith.addf %v19, %v19 : f32
      %v21 = arith.addf %v20, %v20 : f32
      %v22 = arith.addf %v21, %v21 : f32
      %v23 = arith.addf %v22, %v22 : f32
      %v24 = arith.addf %v23, %v23 : f32
      %v25 = arith.addf %v24, %v24 : f32
      %v26 = arith.addf %v25, %v25 : f32
      %v27 = arith.addf %v26, %v26 : f32
      %v28 = arith.addf %v27, %v27 : f32
      %v29 = arith.addf %v28, %v28 : f32
      %v30 = arith.addf %v29, %v29 : f32
      %v31 = arith.addf %v30, %v30 : f32
      %v32 = arith.addf %v31, %v31 : f32
      %v33 = arith.addf %v32, %v32 : f32
      memref.store %v33, %y[%i] : memref<8xf32>
    }
    return
  }
}
