// A kernel keeps no seed from call to call.
// REQUIRES: torch-mlir
// RUN: not dycl-kernel-opt %s -p cpu-refuse-random 2>&1 | filecheck %s

// CHECK: error: {{.*}}draws random numbers
ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
func.func @k() -> tensor<i64> {
  %s = ml_program.global_load @global_seed : tensor<i64>
  return %s : tensor<i64>
}
