// RUN: dycl-opt --dycl-enumerate-attributes --verify-diagnostics %s | filecheck %s

// A tensor is nothing that a state is of one kind for; nor is what is only compared.

// CHECK-NOT: dycl.which
dycl.object @"" "m.Net" {act = @relu, mode = "a", relu = @relu}
dycl.object @relu "torch.nn.ReLU" {__leaf__ = "torch.nn.modules.activation.ReLU"}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  // expected-remark @+1 {{not enumerated: it may be more than modules and texts}}
  %act = dycl.getattr %self "act"
  %y = dycl.call %act(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  dycl.setattr %self "act", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
  %mode = dycl.getattr %self "mode"
  %b = dycl.constant "b"
  %p = dycl.compare eq %mode, %b
  dycl.setattr %self "mode", %b
  dycl.return %y
}
