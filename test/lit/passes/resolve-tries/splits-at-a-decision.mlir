// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// A body that begins with a `raise` under a decision: the decision leads to the handler.
// What no handler catches is raised; a body of several statements is left alone.

// CHECK-LABEL: @caught
// CHECK:         %r = dycl.if %p
// CHECK-NEXT:      dycl.yield %x
// CHECK-NEXT:    } else {
// CHECK-NEXT:      dycl.yield %y
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.return %r
func.func @caught(%p: !torch.bool, %x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %r = dycl.try one_statement -> (!dycl.value) {
    dycl.if %p : !torch.bool {
      dycl.raise "builtins.KeyError"()
    }
    dycl.yield %y
  } except "LookupError" {
    dycl.yield %x
  }
  dycl.return %r
}
