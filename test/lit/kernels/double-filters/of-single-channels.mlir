// A transposed convolution in as many groups as channels; one in fewer stays.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-double-filters | filecheck %s

// CHECK: torch.aten.cat
// CHECK-SAME: !torch.vtensor<[6,2,4],f32>
// CHECK: torch.aten.conv_transpose1d
// CHECK-SAME: !torch.vtensor<[1,12,16],f32>
// CHECK: torch.aten.slice.Tensor
// CHECK-SAME: !torch.vtensor<[1,6,16],f32>
// CHECK: torch.aten.conv_transpose1d
// CHECK-SAME: !torch.vtensor<[1,3,16],f32>
// CHECK-NOT: torch.aten.slice.Tensor
func.func @k(%x: !torch.vtensor<[1,6,7],f32>, %w: !torch.vtensor<[6,1,4],f32>)
    -> (!torch.vtensor<[1,6,16],f32>, !torch.vtensor<[1,3,16],f32>) {
  %none = torch.constant.none
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int3 = torch.constant.int 3
  %int6 = torch.constant.int 6
  %two = torch.prim.ListConstruct %int2 : (!torch.int) -> !torch.list<int>
  %one = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
  %zero = torch.prim.ListConstruct %int0 : (!torch.int) -> !torch.list<int>
  %y = torch.aten.conv_transpose1d %x, %w, %none, %two, %zero, %zero, %int6, %one : !torch.vtensor<[1,6,7],f32>, !torch.vtensor<[6,1,4],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int, !torch.list<int> -> !torch.vtensor<[1,6,16],f32>
  %z = torch.aten.conv_transpose1d %x, %w, %none, %two, %zero, %zero, %int3, %one : !torch.vtensor<[1,6,7],f32>, !torch.vtensor<[6,1,4],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int, !torch.list<int> -> !torch.vtensor<[1,3,16],f32>
  return %y, %z : !torch.vtensor<[1,6,16],f32>, !torch.vtensor<[1,3,16],f32>
}
