// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// A parameter given by place and by name is a refusal at the call.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.unsupported "DY202" "TypeError: f() got multiple values for argument 'a'"
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x, a = %x)
  dycl.return %y
}
func.func @f(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"]} {
  dycl.return %a
}
