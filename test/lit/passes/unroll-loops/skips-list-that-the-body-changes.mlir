// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// A list that something may change is not what it was when it was made.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.for
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %items = dycl.list(%x, %x)
  dycl.for %i in %items {
    %n = dycl.invoke %items "pop"()
  }
  dycl.return %x
}
