// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// Without handlers it guards a `finally`, which stands behind it.

// CHECK:      func.func @forward
// CHECK-NEXT:   %a = dycl.constant 2 : i64
// CHECK-NEXT:   dycl.effect "builtins.print"(%a)
// CHECK-NEXT:   dycl.return %a
func.func @forward() attributes {dycl.entry} {
  %r = dycl.try -> (!dycl.value) {
    %a = dycl.constant 2 : i64
    dycl.yield %a
  }
  dycl.effect "builtins.print"(%r)
  dycl.return %r
}
