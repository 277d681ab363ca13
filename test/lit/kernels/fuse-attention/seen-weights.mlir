// What is given back has to be in memory.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fuse-attention | filecheck %s

// CHECK-NOT: linalg.generic
// CHECK: torch.aten.bmm
// CHECK: torch.aten.softmax.int
// CHECK: torch.aten.bmm
func.func @seen(%x: !torch.vtensor<[6,20,16],f32>, %k: !torch.vtensor<[6,16,20],f32>)
    -> (!torch.vtensor<[6,20,16],f32>, !torch.vtensor<[6,20,20],f32>) {
  %last = torch.constant.int 2
  %none = torch.constant.none
  %s = torch.aten.bmm %x, %k : !torch.vtensor<[6,20,16],f32>,
      !torch.vtensor<[6,16,20],f32> -> !torch.vtensor<[6,20,20],f32>
  %p = torch.aten.softmax.int %s, %last, %none : !torch.vtensor<[6,20,20],f32>,
      !torch.int, !torch.none -> !torch.vtensor<[6,20,20],f32>
  %o = torch.aten.bmm %p, %x : !torch.vtensor<[6,20,20],f32>,
      !torch.vtensor<[6,20,16],f32> -> !torch.vtensor<[6,20,16],f32>
  return %o, %p : !torch.vtensor<[6,20,16],f32>, !torch.vtensor<[6,20,20],f32>
}
