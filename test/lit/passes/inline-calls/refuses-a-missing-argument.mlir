// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// A call without a value for a parameter is a refusal at the call.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.unsupported "DY202" "TypeError: f() missing 1 required positional argument: 'a'"
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f()
  dycl.return %y
}
func.func @f(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"]} {
  dycl.return %a
}
