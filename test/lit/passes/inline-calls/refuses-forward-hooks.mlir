// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// A module with forward hooks computes more than its `forward` says.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.unsupported "DY204" "the model has forward hooks, which are not compiled"
dycl.object @"" "net.Net" {__hooks__ = true, forward = #dycl.function<@f>}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %y = dycl.call %m(%x)
  dycl.return %y
}
func.func @f(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
  dycl.return %x
}
