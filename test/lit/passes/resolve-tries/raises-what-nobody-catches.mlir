// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// The decision stands outside of the `try`, and raises there.

// CHECK:      dycl.if %p
// CHECK-NEXT:   dycl.raise "builtins.KeyError"()
// CHECK-NOT:  dycl.try
// CHECK:      dycl.yield %y
func.func @forward(%p: !torch.bool, %x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %r = dycl.try one_statement -> (!dycl.value) {
    dycl.if %p : !torch.bool {
      dycl.raise "builtins.KeyError"()
    }
    dycl.yield %y
  } except "ValueError" {
    dycl.yield %x
  }
  dycl.return %r
}
