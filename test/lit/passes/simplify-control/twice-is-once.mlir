// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s
// RUN: dycl-opt --dycl-simplify-control %s > %t.once
// RUN: dycl-opt --dycl-simplify-control --dycl-simplify-control %s | diff %t.once -

// A second run finds nothing to do.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.select
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %r = dycl.if %p -> (!dycl.value) {
    %one = dycl.constant 1 : i64
    dycl.yield %one
  } else {
    dycl.yield %x
  }
  dycl.return %r
}
