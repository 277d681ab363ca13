// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// With nothing known, nothing changes.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %y = dycl.unary neg %x
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %y = dycl.unary neg %x
  dycl.return %y
}
