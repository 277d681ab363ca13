// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// A call whose value is returned at once: the exits of its body are the caller's exits.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.scope
// CHECK:         dycl.if %c {
// CHECK-NEXT:      dycl.return %x
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = dycl.unary neg %x
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x)
  dycl.return %y
}
func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  %c = dycl.to_bool %x
  dycl.if %c {
    dycl.return %x
  }
  %y = dycl.unary neg %x
  dycl.return %y
}
