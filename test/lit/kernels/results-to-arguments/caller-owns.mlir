// A tensor and a scalar are written where the caller wants them; inputs are read only.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-results-to-arguments | filecheck %s

// CHECK: func.func @k(%[[X:.*]]: tensor<4xf32> {bufferization.writable = false, llvm.noalias}, %[[Y:.*]]: memref<4xf32> {llvm.noalias}, %[[S:.*]]: memref<f32> {llvm.noalias})
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[Y]]
// CHECK: %[[E:.*]] = tensor.from_elements
// CHECK: bufferization.materialize_in_destination %[[E]] in restrict writable %[[S]]
// CHECK: return{{$}}
func.func @k(%x: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %c = arith.constant 1.0 : f32
  %i = arith.constant 0 : index
  %y = tensor.insert %c into %x[%i] : tensor<4xf32>
  return %y, %c : tensor<4xf32>, f32
}
