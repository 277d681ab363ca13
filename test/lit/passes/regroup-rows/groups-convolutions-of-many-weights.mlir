// RUN: dycl-opt --dycl-regroup-rows %s | filecheck %s

// More weights than stay in the last cache: each row alone would wait for all of them.

// CHECK:       dycl.row_results = {
// CHECK-SAME:  row_bytes = 32768 : i64, far_weights, few = 2 : i64
// CHECK:       torch.aten.conv2d {{.*}} -> !torch.vtensor<[?,512,4,4],f32>
func.func @forward(%x: !torch.vtensor<[1,512,4,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %v = dycl.param "v" : !torch.vtensor<[512,512,3,3],f32>
  %w = dycl.param "w" : !torch.vtensor<[512,512,3,3],f32>
  %none = torch.constant.none
  %one = torch.constant.int 1
  %ones = torch.prim.ListConstruct %one, %one : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %v, %none, %ones, %ones, %ones, %one : !torch.vtensor<[1,512,4,4],f32>, !torch.vtensor<[512,512,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,512,4,4],f32>
  %z = torch.aten.conv2d %y, %w, %none, %ones, %ones, %ones, %one : !torch.vtensor<[1,512,4,4],f32>, !torch.vtensor<[512,512,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,512,4,4],f32>
  dycl.return %z : (!torch.vtensor<[1,512,4,4],f32>) -> ()
}
