// RUN: dycl-opt --dycl-place-kernels %s | filecheck %s
// RUN: dycl-opt --dycl-place-kernels --dycl-place-kernels %s | filecheck %s
// RUN: dycl-opt --dycl-place-kernels --verify-diagnostics %s

// `toy` is faster than `other`. @same gains nothing.

// CHECK-NOT:   dycl.times
// CHECK-NOT:   dycl.runs
// CHECK:       func.func @slow({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// CHECK:       func.func @same({{.*}} attributes {dycl.kernel}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.launch @same(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %z = dycl.launch @slow(%y) {dycl.runs = 3.0 : f64} : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %z : (!torch.vtensor<[2],f32>) -> ()
}
// expected-remark@below {{placed on toy: a launch takes 9.0 us by cpu, 5.0 us by other, 4.0 us by toy}}
func.func @slow(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.times = {cpu = 9.0 : f64, other = 5.0 : f64, toy = 4.0 : f64}} {
  %y = torch.aten.sinh %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
func.func @same(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.times = {cpu = 9.0 : f64, toy = 9.0 : f64}} {
  %y = torch.aten.cosh %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
