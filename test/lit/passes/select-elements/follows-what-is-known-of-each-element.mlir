// RUN: dycl-opt --dycl-select-elements %s | filecheck %s

// An attribute of the chosen element is known for each element; only the call is not.

// CHECK:         dycl.position
// CHECK-NEXT:    dycl.switch
// CHECK-NEXT:      dycl.constant @experts.0.fc
// CHECK-NEXT:      dycl.call
// CHECK:           dycl.constant @experts.1.fc
// CHECK-NOT:     dycl.getattr
dycl.object @experts "torch.nn.modules.container.ModuleList" {__items__ = [@experts.0, @experts.1]}
dycl.object @experts.0 "m.Expert" {fc = @experts.0.fc}
dycl.object @experts.1 "m.Expert" {fc = @experts.1.fc}
dycl.object @experts.0.fc "torch.nn.modules.activation.ReLU" {}
dycl.object @experts.1.fc "torch.nn.modules.activation.Tanh" {}
func.func @forward(%x: !dycl.value, %i: !torch.int) attributes {dycl.entry} {
  %experts = dycl.constant @experts
  %m = dycl.subscript %experts[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %fc = dycl.getattr %m "fc"
  %y = dycl.call %fc(%x)
  dycl.return %y
}
