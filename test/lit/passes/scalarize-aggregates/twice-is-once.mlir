// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s
// RUN: dycl-opt --dycl-scalarize-aggregates %s > %t.once
// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-scalarize-aggregates %s | diff %t.once -

// A second run finds nothing to do.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.list
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64

  %l = dycl.list(%x, %x)
  %p = dycl.to_bool %x
  dycl.if %p {
    dycl.store_subscript %l[%one], %p
    dycl.yield
  }
  dycl.return %l
}
