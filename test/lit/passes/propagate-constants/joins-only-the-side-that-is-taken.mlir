// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// The predicate is known, so what the other branch gives plays no part: not even one
// that is not known itself.

// CHECK-LABEL: func.func @forward
// CHECK:         %i = dycl.constant 1 : i64
// CHECK-NEXT:    {{%.*}} = dycl.if
// CHECK:         %n = dycl.constant 2 : i64
// CHECK:         %y = dycl.constant 1 : i64
// CHECK:         %r = dycl.constant #dycl.tuple<[2 : i64, 1 : i64]>
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %zero = dycl.constant 0 : i64
  %first = dycl.compare eq %zero, %zero
  %i = dycl.if %first -> (!dycl.value) {
    dycl.yield %one
  } else {
    dycl.yield %zero
  }
  %n = dycl.binary add %i, %one
  %last = dycl.compare eq %zero, %one
  %y = dycl.if %last -> (!dycl.value) {
    dycl.yield %x
  } else {
    dycl.yield %one
  }
  %r = dycl.tuple(%n, %y)
  dycl.return %r
}
