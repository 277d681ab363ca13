// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// A body that returns is the end of its block.

// CHECK:      func.func @forward
// CHECK-NEXT:   dycl.return %x
// CHECK-NEXT: }
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.try -> (!dycl.value) {
    dycl.return %x
  } except "?" {
    dycl.yield %x
  }
  %y = dycl.unary neg %r
  dycl.return %y
}
