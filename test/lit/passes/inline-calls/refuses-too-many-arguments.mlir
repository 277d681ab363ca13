// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// A call with more arguments than the function takes is a refusal at the call.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.unsupported "DY202" "TypeError: f() takes 1 positional argument but 2 were given"
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x, %x)
  dycl.return %y
}
func.func @f(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"]} {
  dycl.return %a
}
