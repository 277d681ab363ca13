// A loop overwrites what it begins with: a tensor that another op reads is copied.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-one-user-per-destination | filecheck %s

// CHECK: %[[X:.*]] = tensor.insert
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[OWN]])
func.func @k(%t: tensor<4xf32>, %v: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %x = tensor.insert %v into %t[%zero] : tensor<4xf32>
  %y = scf.for %i = %zero to %four step %one iter_args(%s = %x) -> (tensor<4xf32>) {
    %n = tensor.insert %v into %s[%i] : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %x, %y : tensor<4xf32>, tensor<4xf32>
}
