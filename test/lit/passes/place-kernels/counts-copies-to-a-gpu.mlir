// RUN: dycl-opt -p 'dycl-place-kernels' %s | filecheck %s --check-prefix FAST
// RUN: dycl-opt -p 'dycl-place-kernels{copy-microseconds=19.0}' %s | filecheck %s --check-prefix SLOW

// Either of @a and @b saves 18 us on the GPU, and would need two copies of 10 us: only
// both together save more than that. @c is fastest by an engine of the processor, which
// copies what it reads. With copies of 19 us the GPU computes nothing.

// FAST: @a({{.*}} attributes {dycl.kernel, dycl.backend = "cuda"}
// FAST: @b({{.*}} attributes {dycl.kernel, dycl.backend = "cuda"}
// FAST: @c({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
// SLOW: @a({{.*}} attributes {dycl.kernel} {
// SLOW: @b({{.*}} attributes {dycl.kernel} {
// SLOW: @c({{.*}} attributes {dycl.kernel, dycl.backend = "toy"}
func.func @forward(%x: !torch.vtensor<[4],f32>) attributes {dycl.entry} {
  %w = dycl.param "w" : !torch.vtensor<[4],f32>
  %y = dycl.launch @a(%x, %w) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  %z = dycl.launch @b(%y) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  %v = dycl.launch @c(%z) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  dycl.return %v : (!torch.vtensor<[4],f32>) -> ()
}
func.func @a(%x: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {dycl.kernel, dycl.times = {cpu = 20.0 : f64, cuda = 2.0 : f64, toy = 30.0 : f64}} {
  %y = torch.aten.mul.Tensor %x, %w : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
func.func @b(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {dycl.kernel, dycl.times = {cpu = 20.0 : f64, cuda = 2.0 : f64}} {
  %y = torch.aten.relu %x : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
func.func @c(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {dycl.kernel, dycl.times = {cpu = 20.0 : f64, cuda = 19.0 : f64, toy = 9.0 : f64}} {
  %y = torch.aten.exp %x : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
