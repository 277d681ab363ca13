// RUN: dycl-opt --dycl-simplify-control --verify-diagnostics %s | filecheck %s

// A name that one side leaves unbound is an error of the user's only if that side is
// taken.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  // expected-remark @+1 {{no choice of a value: a name has no value on one side}}
  %r = dycl.if %p -> (!dycl.value) {
    dycl.yield %x
  } else {
    %u = dycl.unbound "y"
    dycl.yield %u
  }
  dycl.return %r
}
