// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// A hook without a form in the IR is not left out.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.unsupported "DY204" "the model has a forward hook that is a value of type Hook"
dycl.object @"" "net.Net" {__hooks__ = #dycl.dict<["before", [], "after", [[#dycl.unsupported<"a forward hook that is a value of type Hook">, false]]]>, forward = #dycl.function<@f>}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %y = dycl.call %m(%x)
  dycl.return %y
}
func.func @f(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
  dycl.return %x
}
