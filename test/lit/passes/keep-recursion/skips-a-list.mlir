// RUN: dycl-opt --dycl-keep-recursion --verify-diagnostics %s | filecheck %s

// A list may be changed by the function, which the caller would see.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.local_function
// CHECK:         dycl.unsupported "DY203" "the data ends this recursion, and it is given a list, which it might change"
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %l = dycl.list(%x)
  // expected-remark@+1 {{it is given a list, which it might change}}
  %y = dycl.call %f(%l) {dycl.recursion = ["!dycl.value"]}
  dycl.return %y
}
func.func @f(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"]} {
  dycl.return %a
}
