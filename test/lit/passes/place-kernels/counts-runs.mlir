// RUN: dycl-opt -p 'dycl-place-kernels{launch-microseconds=0.0}' %s | filecheck %s --check-prefix FREE
// RUN: dycl-opt -p 'dycl-place-kernels{launch-microseconds=0.4}' %s | filecheck %s --check-prefix FOUR
// RUN: dycl-opt -p 'dycl-place-kernels{launch-microseconds=0.8}' %s | filecheck %s --check-prefix EIGHT

// A loop launches @k eight times and a side of a decision @l half a time, so that 5.5 us
// are gained. A Python host costs 0.4 us for each of 8.5 launches, then 0.8 us.

// FREE:  @k({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// FREE:  @l({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// FOUR:  @k({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// FOUR:  @l({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// EIGHT: @k({{.*}} attributes {dycl.kernel}
// EIGHT: @l({{.*}} attributes {dycl.kernel}
func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %q = dycl.while carry(%n : !torch.vtensor<[2],f32> = %x : !torch.vtensor<[2],f32>) {
    dycl.condition %p, %n : (!torch.bool, !torch.vtensor<[2],f32>) -> ()
  } do(%o) {
    %m = dycl.launch @k(%o) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    dycl.yield %m : (!torch.vtensor<[2],f32>) -> ()
  }
  %r = dycl.if %p : !torch.bool -> (!torch.vtensor<[2],f32>) {
    %t = dycl.launch @l(%q) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    dycl.yield %t : (!torch.vtensor<[2],f32>) -> ()
  } else {
    dycl.yield %q : (!torch.vtensor<[2],f32>) -> ()
  }
  dycl.return %r : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.times = {cpu = 1.0 : f64, toy = 0.5 : f64}} {
  %y = torch.aten.sinh %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
func.func @l(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.times = {cpu = 4.0 : f64, toy = 1.0 : f64}} {
  %y = torch.aten.cosh %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
