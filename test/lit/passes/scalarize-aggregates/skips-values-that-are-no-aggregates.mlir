// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A subscript of a tensor is a tensor operation.

// CHECK-LABEL: func.func @forward
// CHECK:         %a = dycl.subscript %x[%one]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64

  %a = dycl.subscript %x[%one]
  dycl.return %a
}
