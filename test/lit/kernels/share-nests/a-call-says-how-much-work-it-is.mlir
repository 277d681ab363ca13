// A run decides how much work a call is: its argument before the parts. A call that has
// too little goes to no pool.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-share-nests | filecheck %s

// CHECK:      llvm.func @k(%{{.*}}: !llvm.ptr, %[[WORK:.*]]: i64)
// CHECK:      llvm.call @dycl_share(%{{.*}}, %{{.*}}, %[[WORK]])
// CHECK-NEXT: llvm.call @loop.0(%{{.*}}, %[[WORK]], %{{.*}}, %{{.*}}) :
// CHECK-NEXT: llvm.return
// CHECK-NOT:  dycl.alone
// CHECK:      llvm.func internal @loop.0.task
module attributes {dycl.threads = 2 : i64} {
  llvm.func @k(%x: !llvm.ptr, %work: i64) {
    %c0 = llvm.mlir.constant(0 : i64) : i64
    %c1 = llvm.mlir.constant(1 : i64) : i64
    llvm.call @loop.0(%x, %work, %c0, %c1) : (!llvm.ptr, i64, i64, i64) -> ()
    llvm.call @loop.0(%x, %work, %c0, %c1) {dycl.alone} : (!llvm.ptr, i64, i64, i64) -> ()
    llvm.return
  }
  llvm.func internal @loop.0(%x: !llvm.ptr, %work: i64, %part: i64, %parts: i64) attributes {dycl.split = -1 : i64} {
    llvm.return
  }
}
