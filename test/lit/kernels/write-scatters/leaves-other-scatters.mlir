// Sizes that a run decides, and half floats, are left to torch-mlir.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-scatters | filecheck %s

// CHECK-NOT: scf.for
// CHECK: torch.aten.scatter_add
func.func @open(%x: !torch.vtensor<[4,?],f32>, %i: !torch.vtensor<[4,5],si64>,
    %s: !torch.vtensor<[4,5],f32>) -> !torch.vtensor<[4,?],f32> {
  %dim = torch.constant.int 1
  %y = torch.aten.scatter_add %x, %dim, %i, %s : !torch.vtensor<[4,?],f32>, !torch.int,
      !torch.vtensor<[4,5],si64>, !torch.vtensor<[4,5],f32> -> !torch.vtensor<[4,?],f32>
  return %y : !torch.vtensor<[4,?],f32>
}
// CHECK-NOT: scf.for
// CHECK: torch.aten.scatter_add
func.func @half(%x: !torch.vtensor<[4],f16>, %i: !torch.vtensor<[4],si64>,
    %s: !torch.vtensor<[4],f16>) -> !torch.vtensor<[4],f16> {
  %dim = torch.constant.int 0
  %y = torch.aten.scatter_add %x, %dim, %i, %s : !torch.vtensor<[4],f16>, !torch.int,
      !torch.vtensor<[4],si64>, !torch.vtensor<[4],f16> -> !torch.vtensor<[4],f16>
  return %y : !torch.vtensor<[4],f16>
}
