// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// An early return of a body in the middle of other code leaves a scope around that
// body.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.scope "f" -> (!dycl.value) {
// CHECK-NEXT:      %c = dycl.to_bool %x
// CHECK-NEXT:      dycl.if %c {
// CHECK-NEXT:        dycl.leave "f" %x
// CHECK-NEXT:      }
// CHECK-NEXT:      [[Y:%.*]] = dycl.unary neg %x
// CHECK-NEXT:      dycl.leave "f" [[Y]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %z = dycl.unary pos %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x)
  %z = dycl.unary pos %y
  dycl.return %z
}
func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  %c = dycl.to_bool %x
  dycl.if %c {
    dycl.return %x
  }
  %y = dycl.unary neg %x
  dycl.return %y
}
