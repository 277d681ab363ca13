// RUN: dycl-opt --dycl-mark-weights --verify-diagnostics %s | filecheck %s
// RUN: dycl-opt --dycl-mark-weights --dycl-mark-weights %s | filecheck %s

// An argument is a weight if every launch gives it a parameter, be it another one each
// time. What is computed, or a parameter at some launches only, is not.

// CHECK:      func.func @k(%x: !torch.vtensor<[2],f32>, %u: !torch.vtensor<[2],f32> {dycl.weight}, %v: !torch.vtensor<[2],f32>) ->
// CHECK:      func.func @idle(%w: !torch.vtensor<[2],f32>) ->
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %a = dycl.param "a" : !torch.vtensor<[2],f32>
  %b = dycl.param "b" : !torch.vtensor<[2],f32>
  %y = dycl.launch @k(%x, %a, %b) : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %z = dycl.launch @k(%y, %b, %x) : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %z : (!torch.vtensor<[2],f32>) -> ()
}
// expected-remark @+1 {{not a weight: argument 2 is one at some launches}}
func.func @k(%x: !torch.vtensor<[2],f32>, %u: !torch.vtensor<[2],f32>, %v: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %p = torch.aten.mul.Tensor %x, %u : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %q = torch.aten.mul.Tensor %p, %v : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %q : !torch.vtensor<[2],f32>
}
func.func @idle(%w: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  func.return %w : !torch.vtensor<[2],f32>
}
