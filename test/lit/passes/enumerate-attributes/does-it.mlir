// RUN: dycl-opt %s --dycl-enumerate-attributes | filecheck %s

// What is called is one of two modules, or the state is of no known kind.

// CHECK:      %[[ACT:.*]] = dycl.getattr %{{.*}} "act"
// CHECK:      %[[FIRST:.*]] = dycl.compare is %[[ACT]], %{{.*}} {dycl.which}
// CHECK:      %[[CHOSEN:.*]] = dycl.if %[[FIRST]] -> (!dycl.value) {
// CHECK-NEXT:   %[[RELU:.*]] = dycl.constant @relu
// CHECK-NEXT:   dycl.setattr %{{.*}} "act", %[[RELU]]
// CHECK-NEXT:   dycl.yield %[[RELU]]
// CHECK-NEXT: } else {
// CHECK:        dycl.compare is %[[ACT]], %{{.*}} {dycl.which}
// CHECK:        dycl.constant @tanh
// CHECK:        dycl.raise "builtins.RuntimeError"(%{{.*}}) {dycl.unlisted = "act"}
// CHECK:      {test = "self.act is @relu"}
// CHECK:      dycl.call %[[CHOSEN]](%x)
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
