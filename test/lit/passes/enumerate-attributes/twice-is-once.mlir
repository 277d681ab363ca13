// RUN: dycl-opt %s -p "dycl-enumerate-attributes,dycl-enumerate-attributes" | filecheck %s

// The question itself is no reason to ask again.

// CHECK-COUNT-2: {dycl.which}
// CHECK-NOT:     {dycl.which}
dycl.object @"" "m.Net" {act = @relu, relu = @relu, tanh = @tanh}
dycl.object @relu "torch.nn.ReLU" {__leaf__ = "torch.nn.modules.activation.ReLU"}
dycl.object @tanh "torch.nn.Tanh" {__leaf__ = "torch.nn.modules.activation.Tanh"}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  %act = dycl.getattr %self "act"
  %y = dycl.call %act(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  %tanh = dycl.constant @tanh
  dycl.setattr %self "act", %tanh
  dycl.return %y
}
