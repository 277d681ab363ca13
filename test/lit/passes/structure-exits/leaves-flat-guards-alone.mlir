// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// Guards in the function are in their final form.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %p = dycl.to_bool %x
// CHECK-NEXT:    dycl.if %p {
// CHECK-NEXT:      dycl.return %p
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.return %x
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  dycl.if %p {
    dycl.return %p
  }
  dycl.return %x
}
