// RUN: dycl-opt --dycl-inline-calls --verify-diagnostics %s | filecheck %s

// How many arguments there are is not known yet.

// CHECK: dycl.call %f("*" = %x)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  // expected-remark @+1 {{not inlined: what `*` or `**` stands for is not known}}
  %y = dycl.call %f("*" = %x)
  dycl.return %y
}
func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  dycl.return %x
}
