// A literal becomes an argument behind the others; which are weights is still said.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-hide-literals | filecheck %s

// CHECK: func.func @k(%arg0: !torch.vtensor<[4],f32> {dycl.weight}, %arg1: !torch.vtensor<[],si64>, %arg2: !torch.vtensor<[2],ui8>)
// CHECK-SAME: dycl.literals = [dense<2> : tensor<si64>, dense<[255, 1]> : tensor<2xui8>]
// CHECK-NOT: torch.vtensor.literal
// CHECK: torch.aten.mul.Tensor %arg0, %arg1
// CHECK: return %{{.*}}, %arg2
func.func @k(%x: !torch.vtensor<[4],f32> {dycl.weight}) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[2],ui8>) {
  %a = torch.vtensor.literal(dense<2> : tensor<si64>) : !torch.vtensor<[],si64>
  %b = torch.vtensor.literal(dense<[255, 1]> : tensor<2xui8>) : !torch.vtensor<[2],ui8>
  %y = torch.aten.mul.Tensor %x, %a : !torch.vtensor<[4],f32>, !torch.vtensor<[],si64> -> !torch.vtensor<[4],f32>
  return %y, %b : !torch.vtensor<[4],f32>, !torch.vtensor<[2],ui8>
}
