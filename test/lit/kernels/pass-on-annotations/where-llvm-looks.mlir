// The attribute of the loop becomes that of the branch.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-pass-on-annotations | filecheck %s

// CHECK: llvm.br ^bb1 {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
// CHECK-NOT: llvm.loop_annotation =
llvm.func @k() {
  llvm.br ^bb1 {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
^bb1:
  llvm.return
}
