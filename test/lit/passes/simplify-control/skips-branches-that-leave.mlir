// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// A guard is an exit, not a choice between values.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  dycl.if %p {
    dycl.return %p
  }
  dycl.return %x
}
