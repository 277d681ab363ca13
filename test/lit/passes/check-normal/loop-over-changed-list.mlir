// RUN: not dycl-opt --dycl-check-normal %s 2>&1 | filecheck %s

// Of a loop over a list that is changed under data, the change is refused, and not that
// the loop was not unrolled.

// CHECK-NOT: was not unrolled
// CHECK:     error: this changes a list or dict in a way that depends on the input
// CHECK-NOT: was not unrolled
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %l = dycl.list(%x, %x)
  dycl.for %item in %l {
    dycl.yield
  }
  dycl.if %x {
    dycl.store_subscript %l[%zero], %x
  }
  dycl.return %x
}
