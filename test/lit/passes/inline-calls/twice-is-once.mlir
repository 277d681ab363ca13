// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s
// RUN: dycl-opt --dycl-inline-calls %s > %t.once
// RUN: dycl-opt --dycl-inline-calls --dycl-inline-calls %s | diff %t.once -

// A second run finds nothing to do.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.scope "f"
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x)
  %z = dycl.tuple(%y)
  dycl.return %z
}
func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  %c = dycl.to_bool %x
  dycl.if %c {
    dycl.return %x
  }
  dycl.return %c
}
