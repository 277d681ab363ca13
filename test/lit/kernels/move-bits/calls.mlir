// What functions of the module hand to each other are bits, too; not what others do.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-move-bits | filecheck %s

// CHECK-LABEL: llvm.func internal @larger(%arg0: i16{{.*}}, %arg1: i16{{.*}}) -> i16
// CHECK-NEXT: %[[S:.*]] = llvm.select {{.*}} : i1, i16
// CHECK-NEXT: llvm.return %[[S]] : i16
llvm.func internal @larger(%x: bf16, %y: bf16, %c: i1) -> bf16 {
  %s = llvm.select %c, %x, %y : i1, bf16
  llvm.return %s : bf16
}

// CHECK-LABEL: llvm.func internal @pointed_at(%arg0: bf16{{.*}}) -> bf16
llvm.func internal @pointed_at(%x: bf16) -> bf16 {
  llvm.return %x : bf16
}

// CHECK-LABEL: llvm.func @kernel
// CHECK: %[[X:.*]] = llvm.load {{.*}} -> i16
// CHECK-NEXT: %[[Y:.*]] = llvm.call @larger(%[[X]], %[[X]], {{.*}}) : (i16, i16, i1) -> i16
// CHECK: llvm.call @elsewhere({{.*}}) : (bf16) -> bf16
// CHECK: llvm.return
llvm.func @elsewhere(bf16) -> bf16
llvm.func @kernel(%p: !llvm.ptr, %c: i1) {
  %f = llvm.mlir.addressof @pointed_at : !llvm.ptr
  llvm.store %f, %p : !llvm.ptr, !llvm.ptr
  %x = llvm.load %p : !llvm.ptr -> bf16
  %y = llvm.call @larger(%x, %x, %c) : (bf16, bf16, i1) -> bf16
  %z = llvm.call @elsewhere(%y) : (bf16) -> bf16
  llvm.store %z, %p : bf16, !llvm.ptr
  llvm.return
}
