// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// What a handler raises again is what led to it, arguments and all.

// CHECK:      dycl.if %p {
// CHECK-NEXT:   dycl.if %q {
// CHECK-NEXT:     dycl.raise "builtins.KeyError"(%x)
// CHECK-NEXT:   }
// CHECK-NEXT:   dycl.leave "try" %y
// CHECK:      dycl.if %q {
// CHECK-NEXT:   dycl.if %q {
// CHECK-NEXT:     dycl.raise "builtins.IndexError"()
func.func @forward(%p: !dycl.value, %q: !dycl.value, %x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %r = dycl.try -> (!dycl.value) {
    dycl.if %p {
      dycl.raise "builtins.KeyError"(%x)
    }
    dycl.if %q {
      dycl.raise "builtins.IndexError"()
    }
    dycl.yield %x
  } except "LookupError" {
    dycl.if %q {
      dycl.raise "builtins.BaseException"() {dycl.again}
    }
    dycl.yield %y
  }
  dycl.return %r
}
