// What was hidden is a constant again, of the integers without a sign that arith knows.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-show-literals | filecheck %s

// CHECK: func.func @k(%arg0: tensor<2xf32> {dycl.x}) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi8>) {
// CHECK: %[[A:.*]] = arith.constant dense<[-0.000000e+00, 0x7FC00000]> : tensor<2xf32>
// CHECK: %[[B:.*]] = arith.constant dense<-1> : tensor<2xi8>
// CHECK: return %arg0, %[[A]], %[[B]]
func.func @k(%x: tensor<2xf32> {dycl.x}, %a: tensor<2xf32>, %b: tensor<2xi8>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi8>)
    attributes {dycl.literals = [dense<[-0.0, 0x7FC00000]> : tensor<2xf32>, dense<255> : tensor<2xui8>]} {
  return %x, %a, %b : tensor<2xf32>, tensor<2xf32>, tensor<2xi8>
}
