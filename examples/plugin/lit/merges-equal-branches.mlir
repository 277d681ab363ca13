// RUN: dycl-opt --research-merge-equal-branches %s | filecheck %s

// Nested decisions go from the inside out.

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    [[A:%.*]] = dycl.unary neg %x
// CHECK-NEXT:    dycl.return [[A]]
func.func @f(%p: !dycl.value, %x: !dycl.value) -> !dycl.value {
  %z = dycl.if %p -> (!dycl.value) {
    %y = dycl.if %p -> (!dycl.value) {
      %a = dycl.unary neg %x
      dycl.yield %a
    } else {
      %b = dycl.unary neg %x
      dycl.yield %b
    }
    dycl.yield %y
  } else {
    %c = dycl.unary neg %x
    dycl.yield %c
  }
  dycl.return %z
}
