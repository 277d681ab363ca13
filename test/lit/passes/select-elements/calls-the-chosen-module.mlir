// RUN: dycl-opt --dycl-select-elements %s | filecheck %s

// The index is looked up where the subscript stands; the call goes into the arms.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[K:.*]] = dycl.position %i in 2 : i64 else "IndexError: index {} is out of range" : (!torch.int) -> !dycl.value
// CHECK:         %y = dycl.switch %[[K]] -> (!dycl.value) case 0 {
// CHECK-NEXT:      %{{.*}} = dycl.constant @experts.0
// CHECK-NEXT:      %[[A:.*]] = dycl.call %{{.*}}(%x)
// CHECK-NEXT:      dycl.yield %[[A]]
// CHECK-NEXT:    } default {
// CHECK-NEXT:      %{{.*}} = dycl.constant @experts.1
// CHECK:         } {test = "i"}
// CHECK-NOT:     dycl.subscript
dycl.object @experts "torch.nn.modules.container.ModuleList" {__items__ = [@experts.0, @experts.1]}
dycl.object @experts.0 "torch.nn.modules.activation.ReLU" {}
dycl.object @experts.1 "torch.nn.modules.activation.Tanh" {}
func.func @forward(%x: !dycl.value, %i: !torch.int) attributes {dycl.entry} {
  %experts = dycl.constant @experts
  %m = dycl.subscript %experts[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %y = dycl.call %m(%x)
  dycl.return %y
}
