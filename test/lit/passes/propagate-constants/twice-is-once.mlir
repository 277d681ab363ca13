// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s
// RUN: dycl-opt --dycl-propagate-constants %s > %t.once
// RUN: dycl-opt --dycl-propagate-constants --dycl-propagate-constants %s | diff %t.once -

// A second run finds nothing to do.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.unary not
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
  dycl.return %off
}
