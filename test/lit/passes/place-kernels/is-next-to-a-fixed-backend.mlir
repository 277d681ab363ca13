// RUN: dycl-opt -p 'dycl-place-kernels{least-gain=0.0}' %s | filecheck %s

// @c asks for an engine, so that what it is given stands in rows in any case: @b makes
// @a alone convert an image, for 16 us, and gains 20.

// CHECK: @a({{.*}} attributes {dycl.kernel}
// CHECK: @b({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// CHECK: @c({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
func.func @forward(%x: !torch.vtensor<[1,16,32,32],f32>) attributes {dycl.entry} {
  %w = dycl.param "w" : !torch.vtensor<[16,16,3,3],f32>
  %y = dycl.launch @a(%x, %w) : (!torch.vtensor<[1,16,32,32],f32>, !torch.vtensor<[16,16,3,3],f32>) -> !torch.vtensor<[1,16,32,32],f32>
  %z = dycl.launch @b(%y) : (!torch.vtensor<[1,16,32,32],f32>) -> !torch.vtensor<[1,16,32,32],f32>
  %v = dycl.launch @c(%z, %w) : (!torch.vtensor<[1,16,32,32],f32>, !torch.vtensor<[16,16,3,3],f32>) -> !torch.vtensor<[1,16,32,32],f32>
  dycl.return %v : (!torch.vtensor<[1,16,32,32],f32>) -> ()
}
func.func @a(%x: !torch.vtensor<[1,16,32,32],f32>, %w: !torch.vtensor<[16,16,3,3],f32>) -> !torch.vtensor<[1,16,32,32],f32> attributes {dycl.kernel, dycl.times = {cpu = 50.0 : f64, toy = 90.0 : f64}} {
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %int1 : !torch.vtensor<[1,16,32,32],f32>, !torch.vtensor<[16,16,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,16,32,32],f32>
  func.return %y : !torch.vtensor<[1,16,32,32],f32>
}
func.func @b(%x: !torch.vtensor<[1,16,32,32],f32>) -> !torch.vtensor<[1,16,32,32],f32> attributes {dycl.kernel, dycl.times = {cpu = 30.0 : f64, toy = 10.0 : f64}} {
  %y = torch.aten.sigmoid %x : !torch.vtensor<[1,16,32,32],f32> -> !torch.vtensor<[1,16,32,32],f32>
  func.return %y : !torch.vtensor<[1,16,32,32],f32>
}
func.func @c(%x: !torch.vtensor<[1,16,32,32],f32>, %w: !torch.vtensor<[16,16,3,3],f32>) -> !torch.vtensor<[1,16,32,32],f32> attributes {dycl.kernel, dycl.backend = "toy"} {
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %int1 : !torch.vtensor<[1,16,32,32],f32>, !torch.vtensor<[16,16,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,16,32,32],f32>
  func.return %y : !torch.vtensor<[1,16,32,32],f32>
}
