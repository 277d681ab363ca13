// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// In Python `d.items()` sees keys that are set later: used after the change, it may not
// be replaced by the items before.

// CHECK-LABEL: func.func @forward
// CHECK:         %view = dycl.invoke %d "items"()
// CHECK:         dycl.store_subscript
// CHECK:         dycl.for %item in %view
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %a = dycl.constant "a"
  %b = dycl.constant "b"
  %d = dycl.dict(%a, %x)
  %view = dycl.invoke %d "items"()
  dycl.store_subscript %d[%b], %x
  dycl.for %item in %view {
    %y = "test.op"(%item) : (!dycl.value) -> !dycl.value
    dycl.yield
  }
  dycl.return %x
}
