// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// Calling an object runs its `forward`.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.call
// CHECK:         %y = dycl.unary neg %x
// CHECK-NEXT:    %z = dycl.tuple(%y)
dycl.object @"" "net.Net" {forward = #dycl.function<@"net.Net.forward">}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %y = dycl.call %m(%x)
  %z = dycl.tuple(%y)
  dycl.return %z
}
func.func @"net.Net.forward"(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
  %y = dycl.unary neg %x
  dycl.return %y
}
