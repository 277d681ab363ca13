// What was computed, and is read elsewhere as well, is copied.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-one-user-per-destination | filecheck %s

// CHECK: %[[A:.*]] = linalg.exp
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK: linalg.add ins(%arg0, %arg0 {{.*}} outs(%[[COPY]]
// CHECK: return %[[A]]
func.func @k(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
