// RUN: dycl-opt --dycl-regroup-rows %s | filecheck %s
// RUN: dycl-opt -p 'dycl-regroup-rows{always=true}' %s | filecheck %s --check-prefix ALWAYS

// A group of images takes longer than each alone.

// CHECK:       func.func @forward(%x: !torch.vtensor<[1,2,4,4],f32>)
// CHECK:         torch.aten.conv2d %x, %w

// ALWAYS:      func.func @forward(%x: !torch.vtensor<[?,2,4,4],f32>)
// ALWAYS:        torch.aten.conv2d %x, %w
func.func @forward(%x: !torch.vtensor<[1,2,4,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %w = dycl.param "w" : !torch.vtensor<[2,2,3,3],f32>
  %none = torch.constant.none
  %one = torch.constant.int 1
  %groups = torch.constant.int 1
  %ones = torch.prim.ListConstruct %one, %one : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %groups : !torch.vtensor<[1,2,4,4],f32>, !torch.vtensor<[2,2,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,2,4,4],f32>
  dycl.return %y : (!torch.vtensor<[1,2,4,4],f32>) -> ()
}
