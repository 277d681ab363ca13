// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// It raises in Python, so it is left for the run.

// CHECK-LABEL: func.func @forward
// CHECK:         %a = dycl.subscript
// CHECK-NEXT:    dycl.return %a
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %t = dycl.tuple(%x)
  %a = dycl.subscript %t[%one]
  dycl.return %a
}
