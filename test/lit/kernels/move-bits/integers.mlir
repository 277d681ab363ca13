// No value is of bf16, but before and behind what takes more than bits.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-move-bits | filecheck %s

// CHECK-LABEL: llvm.func @blocks
// CHECK-DAG: llvm.mlir.constant(16320 : i16) : i16
// CHECK-DAG: llvm.mlir.constant(-63 : i16) : i16
// CHECK: %[[X:.*]] = llvm.load {{.*}} -> i16
// CHECK: %[[S:.*]] = llvm.select {{.*}} : i1, i16
// CHECK-NEXT: llvm.cond_br {{.*}} ^bb1(%[[S]] : i16), ^bb1(%[[X]] : i16)
// CHECK: ^bb1(%[[Y:.*]]: i16):
// CHECK-NEXT: llvm.store %[[Y]], {{.*}} : i16
// CHECK-NEXT: llvm.store %[[Y]], {{.*}} : i16
// CHECK-NEXT: llvm.return
llvm.func @blocks(%p: !llvm.ptr, %c: i1) {
  %a = llvm.mlir.constant(1.5 : bf16) : bf16
  %n = llvm.mlir.constant(0xFFC1 : bf16) : bf16
  %x = llvm.load %p : !llvm.ptr -> bf16
  llvm.store %n, %p : bf16, !llvm.ptr
  %s = llvm.select %c, %a, %x {fastmathFlags = #llvm.fastmath<contract>} : i1, bf16
  llvm.cond_br %c, ^next(%s : bf16), ^next(%x : bf16)
^next(%y: bf16):
  %bits = llvm.bitcast %y : bf16 to i16
  llvm.store %bits, %p : i16, !llvm.ptr
  llvm.store %y, %p : bf16, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @vectors
// CHECK: llvm.mlir.constant(dense<[16256, -32640, 3, 16026]> : vector<4xi16>)
// CHECK: llvm.mlir.constant(dense<16384> : vector<2x4xi16>) : !llvm.array<2 x vector<4xi16>>
// CHECK: llvm.intr.masked.load {{.*}} -> vector<4xi16>
// CHECK: llvm.insertvalue {{.*}} : !llvm.array<2 x vector<4xi16>>
// CHECK: llvm.extractvalue {{.*}} : !llvm.array<2 x vector<4xi16>>
// CHECK: llvm.shufflevector {{.*}} : vector<4xi16>
// CHECK: llvm.intr.masked.store {{.*}} : vector<4xi16>
// CHECK: llvm.bitcast {{.*}} : vector<4xi16> to vector<2xi32>
// CHECK-NEXT: llvm.store
llvm.func @vectors(%p: !llvm.ptr, %m: vector<4xi1>) {
  %d = llvm.mlir.constant(dense<[1.0, 0x8080, 0x0003, 0.3]> : vector<4xbf16>) : vector<4xbf16>
  %e = llvm.mlir.constant(dense<2.0> : vector<2x4xbf16>) : !llvm.array<2 x vector<4xbf16>>
  %l = llvm.intr.masked.load %p, %m, %d {alignment = 2 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xbf16>) -> vector<4xbf16>
  %f = llvm.insertvalue %l, %e[1] : !llvm.array<2 x vector<4xbf16>>
  %g = llvm.extractvalue %f[1] : !llvm.array<2 x vector<4xbf16>>
  %h = llvm.shufflevector %g, %d [0, 4, 1, 5] : vector<4xbf16>
  llvm.intr.masked.store %h, %p, %m {alignment = 2 : i32} : vector<4xbf16>, vector<4xi1> into !llvm.ptr
  %w = llvm.bitcast %h : vector<4xbf16> to vector<2xi32>
  llvm.store %w, %p : vector<2xi32>, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @others(
// CHECK-SAME: %[[A:.*]]: bf16) -> bf16
// CHECK-NEXT: %[[B:.*]] = llvm.bitcast %[[A]] : bf16 to i16
// CHECK-NEXT: %[[BACK:.*]] = llvm.bitcast %[[B]] : i16 to bf16
// CHECK-NEXT: %[[F:.*]] = llvm.fneg %[[BACK]] : bf16
// CHECK-NEXT: %[[G:.*]] = llvm.bitcast %[[F]] : bf16 to i16
// CHECK-NEXT: llvm.br ^bb1(%[[G]] : i16)
// CHECK-NEXT: ^bb1(%[[R:.*]]: i16):
// CHECK-NEXT: %[[LAST:.*]] = llvm.bitcast %[[R]] : i16 to bf16
// CHECK-NEXT: llvm.return %[[LAST]] : bf16
llvm.func @others(%a: bf16) -> bf16 {
  %f = llvm.fneg %a : bf16
  llvm.br ^next(%f : bf16)
^next(%r: bf16):
  llvm.return %r : bf16
}

// CHECK-LABEL: llvm.func @none
// CHECK-NEXT: llvm.mlir.constant(1.500000e+00 : f16) : f16
// CHECK-NEXT: llvm.return
llvm.func @none() {
  %a = llvm.mlir.constant(1.5 : f16) : f16
  llvm.return
}
