// Canonicalisation would make `x == x` true, for NaN as well.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-keep-self-comparison,canonicalize | filecheck %s

// CHECK: %[[D:.*]] = torch.aten.ne.Tensor %arg0, %arg0
// CHECK: torch.aten.logical_not %[[D]]
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],i1> {
  %b = torch.aten.eq.Tensor %x, %x : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],i1>
  return %b : !torch.vtensor<[2],i1>
}
