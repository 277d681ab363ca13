// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// An nn.ModuleList holds modules but has no `forward`: calling it is refused.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.unsupported "DY201" "the model is called, but has no `forward`"
dycl.object @"" "torch.nn.modules.container.ModuleList" {__mro__ = ["torch.nn.modules.container.ModuleList"], __items__ = []}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %y = dycl.call %m(%x)
  dycl.return %y
}
