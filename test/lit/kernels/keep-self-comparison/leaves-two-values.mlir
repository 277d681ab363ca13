// Two values are compared as they are.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-self-comparison | filecheck %s

// CHECK: torch.aten.eq.Tensor %arg0, %arg1
func.func @k(%x: !torch.vtensor<[2],f32>, %y: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],i1> {
  %b = torch.aten.eq.Tensor %x, %y : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],i1>
  return %b : !torch.vtensor<[2],i1>
}
