// RUN: dycl-opt -p 'dycl-place-kernels{least-gain=0.0}' %s | filecheck %s

// Whoever computes @b or @d makes our convolutions convert two images, 33 us together.
// A loop runs @b eight times, which gains 80 us; half the calls run @d, which gains 25 us
// on average, though 50 us where it is run.

// CHECK: @a({{.*}} attributes {dycl.kernel}
// CHECK: @b({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// CHECK: @c({{.*}} attributes {dycl.kernel}
// CHECK: @d({{.*}} attributes {dycl.kernel}
// CHECK: @e({{.*}} attributes {dycl.kernel}
func.func @forward(%x: !torch.vtensor<[1,16,32,32],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %w = dycl.param "w" : !torch.vtensor<[16,16,3,3],f32>
  %y = dycl.launch @a(%x, %w) : (!torch.vtensor<[1,16,32,32],f32>, !torch.vtensor<[16,16,3,3],f32>) -> !torch.vtensor<[1,16,32,32],f32>
  %q = dycl.while carry(%n : !torch.vtensor<[1,16,32,32],f32> = %y : !torch.vtensor<[1,16,32,32],f32>) {
    dycl.condition %p, %n : (!torch.bool, !torch.vtensor<[1,16,32,32],f32>) -> ()
  } do(%o) {
    %m = dycl.launch @b(%o) : (!torch.vtensor<[1,16,32,32],f32>) -> !torch.vtensor<[1,16,32,32],f32>
    dycl.yield %m : (!torch.vtensor<[1,16,32,32],f32>) -> ()
  }
  %z = dycl.launch @c(%q, %w) : (!torch.vtensor<[1,16,32,32],f32>, !torch.vtensor<[16,16,3,3],f32>) -> !torch.vtensor<[1,16,32,32],f32>
  %r = dycl.if %p : !torch.bool -> (!torch.vtensor<[1,16,32,32],f32>) {
    %t = dycl.launch @d(%z) : (!torch.vtensor<[1,16,32,32],f32>) -> !torch.vtensor<[1,16,32,32],f32>
    dycl.yield %t : (!torch.vtensor<[1,16,32,32],f32>) -> ()
  } else {
    dycl.yield %z : (!torch.vtensor<[1,16,32,32],f32>) -> ()
  }
  %v = dycl.launch @e(%r, %w) : (!torch.vtensor<[1,16,32,32],f32>, !torch.vtensor<[16,16,3,3],f32>) -> !torch.vtensor<[1,16,32,32],f32>
  dycl.return %v : (!torch.vtensor<[1,16,32,32],f32>) -> ()
}
func.func @a(%x: !torch.vtensor<[1,16,32,32],f32>, %w: !torch.vtensor<[16,16,3,3],f32>) -> !torch.vtensor<[1,16,32,32],f32> attributes {dycl.kernel, dycl.times = {cpu = 50.0 : f64, toy = 90.0 : f64}} {
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %int1 : !torch.vtensor<[1,16,32,32],f32>, !torch.vtensor<[16,16,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,16,32,32],f32>
  func.return %y : !torch.vtensor<[1,16,32,32],f32>
}
func.func @b(%x: !torch.vtensor<[1,16,32,32],f32>) -> !torch.vtensor<[1,16,32,32],f32> attributes {dycl.kernel, dycl.times = {cpu = 20.0 : f64, toy = 10.0 : f64}} {
  %y = torch.aten.sigmoid %x : !torch.vtensor<[1,16,32,32],f32> -> !torch.vtensor<[1,16,32,32],f32>
  func.return %y : !torch.vtensor<[1,16,32,32],f32>
}
func.func @c(%x: !torch.vtensor<[1,16,32,32],f32>, %w: !torch.vtensor<[16,16,3,3],f32>) -> !torch.vtensor<[1,16,32,32],f32> attributes {dycl.kernel, dycl.times = {cpu = 50.0 : f64, toy = 90.0 : f64}} {
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %int1 : !torch.vtensor<[1,16,32,32],f32>, !torch.vtensor<[16,16,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,16,32,32],f32>
  func.return %y : !torch.vtensor<[1,16,32,32],f32>
}
func.func @d(%x: !torch.vtensor<[1,16,32,32],f32>) -> !torch.vtensor<[1,16,32,32],f32> attributes {dycl.kernel, dycl.times = {cpu = 60.0 : f64, toy = 10.0 : f64}} {
  %y = torch.aten.tanh %x : !torch.vtensor<[1,16,32,32],f32> -> !torch.vtensor<[1,16,32,32],f32>
  func.return %y : !torch.vtensor<[1,16,32,32],f32>
}
func.func @e(%x: !torch.vtensor<[1,16,32,32],f32>, %w: !torch.vtensor<[16,16,3,3],f32>) -> !torch.vtensor<[1,16,32,32],f32> attributes {dycl.kernel, dycl.times = {cpu = 50.0 : f64, toy = 90.0 : f64}} {
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %int1 : !torch.vtensor<[1,16,32,32],f32>, !torch.vtensor<[16,16,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,16,32,32],f32>
  func.return %y : !torch.vtensor<[1,16,32,32],f32>
}
