// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// A constant set in a branch and tested later asks the branch's predicate again,
// negated here.

// CHECK-LABEL: func.func @forward
// CHECK:         %p = dycl.to_bool %x
// CHECK-NOT:     dycl.compare
// CHECK:         [[Q:%.*]] = dycl.unary not %p
// CHECK-NEXT:    dycl.if [[Q]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %one = dycl.constant 1 : i64
  %zero = dycl.constant 0 : i64
  %mask = dycl.if %p -> (!dycl.value) {
    dycl.yield %one
  } else {
    dycl.yield %zero
  }
  %off = dycl.compare eq %mask, %zero
  %q = dycl.to_bool %off
  %r = dycl.if %q -> (!dycl.value) {
    dycl.yield %x
  } else {
    dycl.yield %mask
  }
  dycl.return %r
}
