// RUN: dycl-opt --dycl-place-kernels %s | filecheck %s --check-prefix SOME
// RUN: dycl-opt -p 'dycl-place-kernels{least-gain=0.15}' %s | filecheck %s --check-prefix NONE

// One call in a thousand runs @seldom, so that on average next to nothing is gained; but
// this call takes 120 us instead of 105. It ends there: what follows does not count.

// SOME: @trunk({{.*}} attributes {dycl.kernel}
// SOME: @seldom({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// SOME: @rest({{.*}} attributes {dycl.kernel}
// NONE: @trunk({{.*}} attributes {dycl.kernel}
// NONE: @seldom({{.*}} attributes {dycl.kernel}
// NONE: @rest({{.*}} attributes {dycl.kernel}
func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %y = dycl.launch @trunk(%x) {dycl.runs = 1.0 : f64} : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.if %p : !torch.bool {
    %t = dycl.launch @seldom(%y) {dycl.runs = 0.001 : f64} : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    dycl.return %t : (!torch.vtensor<[2],f32>) -> ()
  }
  %z = dycl.launch @rest(%y) {dycl.runs = 0.999 : f64} : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %z : (!torch.vtensor<[2],f32>) -> ()
}
func.func @trunk(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.times = {cpu = 100.0 : f64, toy = 200.0 : f64}} {
  %y = torch.aten.sinh %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
func.func @seldom(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.times = {cpu = 20.0 : f64, toy = 5.0 : f64}} {
  %y = torch.aten.cosh %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
func.func @rest(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.times = {cpu = 500.0 : f64, toy = 900.0 : f64}} {
  %y = torch.aten.exp %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
