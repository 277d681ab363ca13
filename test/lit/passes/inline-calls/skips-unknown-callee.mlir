// RUN: dycl-opt --dycl-inline-calls --verify-diagnostics %s | filecheck %s

// What is called is not known yet: the call stays.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %y = dycl.call %x(%x)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  // expected-remark @+1 {{not inlined: what is called is not known}}
  %y = dycl.call %x(%x)
  dycl.return %y
}
