// LLVM makes values of memory on the stack, of the type that the memory is for.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-move-bits | filecheck %s

// CHECK-LABEL: llvm.func @kernel
// CHECK: llvm.alloca %{{.*}} x i16 :
// CHECK: llvm.alloca %{{.*}} x !llvm.array<3 x i16> :
// CHECK: llvm.alloca %{{.*}} x f32 :
llvm.func @kernel() {
  %c = llvm.mlir.constant(3 : i64) : i64
  %p = llvm.alloca %c x bf16 : (i64) -> !llvm.ptr
  %q = llvm.alloca %c x !llvm.array<3 x bf16> : (i64) -> !llvm.ptr
  %r = llvm.alloca %c x f32 : (i64) -> !llvm.ptr
  llvm.return
}
