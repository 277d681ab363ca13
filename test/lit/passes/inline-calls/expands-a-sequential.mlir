// RUN: dycl-opt -p 'dycl-repeat{passes=dycl-inline-calls}' %s | filecheck %s

// A call of an nn.Sequential is a chain of calls of its children; an empty one hands
// its argument on.

// CHECK-LABEL: func.func @forward
// CHECK:         [[A:%.*]] = dycl.constant @a
// CHECK:         [[YA:%.*]] = dycl.call [[A]](%x)
// CHECK:         [[B:%.*]] = dycl.constant @b
// CHECK:         [[YB:%.*]] = dycl.call [[B]]([[YA]])
// CHECK-NOT:     dycl.call
// CHECK:         dycl.return [[YB]]
dycl.object @"" "torch.nn.modules.container.Sequential" {__mro__ = ["torch.nn.modules.container.Sequential"], __items__ = [@a, @b, @c]}
dycl.object @a "torch.nn.modules.activation.ReLU" {__leaf__ = "torch.nn.modules.activation.ReLU"}
dycl.object @b "torch.nn.modules.activation.ReLU" {__leaf__ = "torch.nn.modules.activation.ReLU"}
dycl.object @c "torch.nn.modules.container.Sequential" {__mro__ = ["torch.nn.modules.container.Sequential"], __items__ = []}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %y = dycl.call %m(%x)
  dycl.return %y
}
