// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A list given to unknown code may change there.

// CHECK-LABEL: func.func @forward
// CHECK:         %a = dycl.subscript
// CHECK-NEXT:    dycl.return %a
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %l = dycl.list(%x)
  %n = dycl.call %x(%l)
  %a = dycl.subscript %l[%zero]
  dycl.return %a
}
