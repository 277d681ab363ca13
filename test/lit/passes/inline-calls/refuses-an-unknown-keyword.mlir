// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// A keyword that the function does not have is a refusal at the call.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.unsupported "DY202" "TypeError: f() got an unexpected keyword argument 'b'"
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x, b = %x)
  dycl.return %y
}
func.func @f(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"]} {
  dycl.return %a
}
