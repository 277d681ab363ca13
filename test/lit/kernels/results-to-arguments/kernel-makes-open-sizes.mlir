// How large a result of dynamic size is, the kernel says: it makes the memory. An argument
// is copied: the caller frees what it gets.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-results-to-arguments | filecheck %s

// CHECK: func.func @k(%[[X:.*]]: tensor<?xf32> {{.*}}, %{{.*}}: memref<2xi64> {{.*}}) -> tensor<?xf32>
// CHECK-SAME: dycl.open_results = array<i64: 1>
// CHECK: %[[C:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK: return %[[C]]
func.func @k(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
