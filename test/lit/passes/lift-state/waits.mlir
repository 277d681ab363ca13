// RUN: dycl-opt --dycl-lift-state --verify-diagnostics %s | filecheck %s

// A call that is not inlined may set the attribute as well.

// CHECK: dycl.getattr
// CHECK: dycl.setattr
dycl.object @"" "m.Net" {calls = 0 : i64}
func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  %f = dycl.constant #dycl.function<@m.step>
  %n = dycl.getattr %self "calls"
  dycl.setattr %self "calls", %x
  // expected-remark @+1 {{state not lifted: this may still set an attribute}}
  %y = dycl.call %f(%self)
  dycl.return %n
}
func.func @m.step(%self: !dycl.value) -> !dycl.value attributes {dycl.params = ["self"]} {
  %one = dycl.constant 1 : i64
  dycl.setattr %self "calls", %one
  dycl.return %one
}
