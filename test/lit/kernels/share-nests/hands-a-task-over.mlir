// The arguments of a call go into memory, and a task reads them.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-share-nests | filecheck %s

// CHECK: llvm.func @k(%[[X:.*]]: !llvm.ptr)
// CHECK: %[[M:.*]] = llvm.alloca
// CHECK: %[[P:.*]] = llvm.getelementptr %[[M]][0]
// CHECK: llvm.store %[[X]], %[[P]]
// CHECK: %[[T:.*]] = llvm.mlir.addressof @nest.0.task
// CHECK: %[[W:.*]] = llvm.mlir.constant(40000 : i64)
// CHECK: llvm.call @dycl_share(%[[T]], %[[M]], %[[W]])
// CHECK: llvm.mlir.global weak @dycl_pool()
// CHECK: llvm.func internal @nest.0.task(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: llvm.call @nest.0(
module attributes {dycl.threads = 2 : i64} {
  llvm.func @k(%x: !llvm.ptr) {
    %c0 = llvm.mlir.constant(0 : i64) : i64
    %c1 = llvm.mlir.constant(1 : i64) : i64
    llvm.call @nest.0(%x, %c0, %c1) : (!llvm.ptr, i64, i64) -> ()
    llvm.return
  }
  llvm.func internal @nest.0(%x: !llvm.ptr, %part: i64, %parts: i64) attributes {dycl.split = 40000 : i64} {
    llvm.return
  }
}
