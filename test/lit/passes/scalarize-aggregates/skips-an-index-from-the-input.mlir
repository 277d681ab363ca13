// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// Which item is meant depends on the input.

// CHECK-LABEL: func.func @forward
// CHECK:         %a = dycl.subscript
// CHECK-NEXT:    dycl.return %a
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %x)
  %a = dycl.subscript %t[%x]
  dycl.return %a
}
