// A pointer moves by the bytes of a sample, or stays, from the first sample on; no
// sample, no call.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-loop-over-samples | filecheck %s

// CHECK: llvm.func internal @k.sample.0.all(%[[X:.*]]: !llvm.ptr, %[[W:.*]]: !llvm.ptr, %[[F:.*]]: i64, %[[N:.*]]: i64) {
// CHECK: llvm.br ^{{.*}}(%[[F]] : i64)
// CHECK: llvm.icmp "slt" %[[I:.*]], %[[N]]
// CHECK: llvm.mul %[[I]]
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds %[[X]]
// CHECK: llvm.call @k.sample.0(%[[P]], %[[W]])
// CHECK: llvm.func internal @k.sample.0(
// CHECK-NOT: dycl.
llvm.func @k.sample.0.all(!llvm.ptr, !llvm.ptr, i64, i64)
  attributes {dycl.steps = array<i64: 128, 0>}
llvm.func @k.sample.0(%x: !llvm.ptr, %w: !llvm.ptr) attributes {dycl.sample} {
  llvm.return
}
