// A pointer and a size go in, an address and a size come out.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-pass-sizes | filecheck %s

// CHECK: func.func @k(%[[X:.*]]: memref<1xf32> {llvm.noalias}, %[[N:.*]]: i64, %[[SLOTS:.*]]: memref<2xi64> {llvm.noalias}) {
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]]
// CHECK: memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[SIZE]]]
// CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: memref.extract_aligned_pointer_as_index %[[A]]
// CHECK: memref.store %{{.*}}, %[[SLOTS]]
// CHECK: memref.store %{{.*}}, %[[SLOTS]]
// CHECK: return{{$}}
func.func @k(%x: memref<?xf32> {llvm.noalias}, %slots: memref<2xi64> {llvm.noalias}) -> memref<?xf32> attributes {dycl.open_results = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  return %a : memref<?xf32>
}
