// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// After a guard that returned, its predicate is false, and so is what the `if` gives.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p {
// CHECK-NEXT:      dycl.return %x
// CHECK-NEXT:    }
// CHECK-NEXT:    [[F:%.*]] = dycl.constant false
// CHECK-NEXT:    %r = dycl.constant false
// CHECK-NEXT:    {{%.*}} = dycl.if [[F]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  dycl.if %p {
    dycl.return %x
  }
  %r = dycl.if %p -> (!dycl.value) {
    dycl.yield %x
  } else {
    dycl.yield %p
  }
  dycl.return %r
}
