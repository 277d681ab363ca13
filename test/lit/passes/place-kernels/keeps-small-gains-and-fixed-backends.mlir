// RUN: dycl-opt --dycl-place-kernels %s | filecheck %s
// RUN: dycl-opt -p 'dycl-place-kernels{least-gain=0.0}' %s | filecheck %s --check-prefix ANY

// 3 us of 203 are less than a twentieth. @fixed has its backend, @unmeasured no time.

// CHECK:    @little({{.*}} attributes {dycl.kernel}
// CHECK:    @fixed({{.*}} attributes {dycl.kernel, dycl.backend = "cpu"}
// CHECK:    @unmeasured({{.*}} attributes {dycl.kernel}
// ANY:      @little({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// ANY:      @fixed({{.*}} attributes {dycl.kernel, dycl.backend = "cpu"}
// ANY:      @unmeasured({{.*}} attributes {dycl.kernel}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.launch @little(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %z = dycl.launch @fixed(%y) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %a = dycl.launch @unmeasured(%z) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %a : (!torch.vtensor<[2],f32>) -> ()
}
func.func @little(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.times = {cpu = 103.0 : f64, toy = 100.0 : f64}} {
  %y = torch.aten.sinh %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
func.func @fixed(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel, dycl.backend = "cpu", dycl.times = {cpu = 100.0 : f64, toy = 1.0 : f64}} {
  %y = torch.aten.cosh %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
func.func @unmeasured(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %y = torch.aten.exp %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}
