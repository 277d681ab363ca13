// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// Inside a branch its predicate is known, so a nested test of it is decided.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p
// CHECK-NEXT:      [[T:%.*]] = dycl.constant true
// CHECK-NEXT:      dycl.if [[T]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %r = dycl.if %p -> (!dycl.value) {
    %s = dycl.if %p -> (!dycl.value) {
      dycl.yield %x
    } else {
      dycl.yield %p
    }
    dycl.yield %s
  } else {
    dycl.yield %p
  }
  dycl.return %r
}
