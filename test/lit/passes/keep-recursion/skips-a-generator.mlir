// RUN: dycl-opt --dycl-keep-recursion --verify-diagnostics %s | filecheck %s

// Whoever goes over a generator runs between its items, which a function cannot give.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.local_function
// CHECK:         dycl.unsupported "DY203" "the data ends this recursion, and it yields: whoever goes over it runs between its items"
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  // expected-remark@+1 {{it yields: whoever goes over it runs between its items}}
  %y = dycl.call %f(%x) {dycl.recursion = ["!dycl.value"]}
  dycl.for %i in %y {
    dycl.effect "builtins.print"(%i)
  }
  dycl.return %x
}
func.func @f(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"], dycl.generator} {
  dycl.yield_value %a
  dycl.return %a
}
