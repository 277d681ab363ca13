// RUN: dycl-opt -p 'dycl-place-kernels{least-gain=0.5}' %s | filecheck %s --check-prefix HALF
// RUN: dycl-opt -p 'dycl-place-kernels{least-gain=0.6}' %s | filecheck %s --check-prefix MORE

// A loop launches @k eight times and a side of a decision @l half a time, so that 5.5 us
// are gained, of 10.

// HALF: @k({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// HALF: @l({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// MORE: @k({{.*}} attributes {dycl.kernel}
// MORE: @l({{.*}} attributes {dycl.kernel}
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
