// RUN: dycl-opt --dycl-expand-builtins --verify-diagnostics %s | filecheck %s

// A sum of numbers is a call, one of tensors a chain: which it is, is not known yet.

// CHECK: dycl.call %sum(%l)
func.func @forward(%a: !dycl.value) attributes {dycl.entry} {
  %sum = dycl.constant #dycl.global<"builtins.sum">
  %l = dycl.list(%a)
  // expected-remark @+1 {{not expanded: what it is given is not known, or not its kind}}
  %r = dycl.call %sum(%l)
  dycl.return %r
}
