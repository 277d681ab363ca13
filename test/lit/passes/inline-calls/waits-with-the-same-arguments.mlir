// RUN: dycl-opt --dycl-inline-calls --verify-diagnostics %s | filecheck %s

// A call that is given what one around it was given would be inlined without end.

// CHECK: dycl.call %f(%x) {dycl.recursion = ["!dycl.value"]}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  // expected-remark @+1 {{not inlined: it is given what a call around it was given}}
  %y = dycl.call %f(%x) {dycl.recursion = ["!dycl.value"]}
  dycl.return %y
}
func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  dycl.return %x
}
