// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// A value that both sides set alike is known; one that they set differently is not.

// CHECK-LABEL: func.func @forward
// CHECK:         %two = dycl.constant 2 : i64
// CHECK-NEXT:    [[A:%.*]] = dycl.constant 1 : i64
// CHECK-NEXT:    {{%.*}}, %b = dycl.if
// CHECK:         dycl.tuple([[A]], %b)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %one = dycl.constant 1 : i64
  %two = dycl.constant 2 : i64
  %a, %b = dycl.if %p -> (!dycl.value, !dycl.value) {
    dycl.yield %one, %one
  } else {
    dycl.yield %one, %two
  }
  %r = dycl.tuple(%a, %b)
  dycl.return %r
}
