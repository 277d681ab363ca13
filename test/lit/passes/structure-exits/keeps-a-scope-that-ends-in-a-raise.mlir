// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// The raise is the end for one path, and no way out of the scope.

// CHECK:      %y = dycl.scope "kind" -> (!dycl.value) {
// CHECK-NEXT:   dycl.if %p {
// CHECK-NEXT:     dycl.leave "kind" %p
// CHECK-NEXT:   }
// CHECK-NEXT:   dycl.raise "builtins.KeyError"(%p)
// CHECK-NEXT: }
// CHECK-NEXT: %z = dycl.unary neg %y
func.func @forward(%p: !dycl.value) attributes {dycl.entry} {
  %y = dycl.scope "kind" -> (!dycl.value) {
    dycl.if %p {
      dycl.leave "kind" %p
    }
    dycl.raise "builtins.KeyError"(%p)
  }
  %z = dycl.unary neg %y
  dycl.return %z
}
