// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// What raises in Python stays, to raise in its place.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.binary floordiv
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %y = dycl.binary floordiv %one, %zero
  dycl.return %y
}
