// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// Changes under data stay in the program, but what reads the list before is still
// replaced.

// CHECK-LABEL: func.func @forward
// CHECK:         %l = dycl.list(%x)
// CHECK-NEXT:    %n = dycl.invoke %l "append"(%y)
// CHECK-NEXT:    %p = dycl.to_bool %y
// CHECK-NEXT:    dycl.if %p {
// CHECK-NEXT:      %m = dycl.invoke %l "append"(%y)
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.return %l
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64

  %l = dycl.list(%x)
  %n = dycl.invoke %l "append"(%y)
  %a = dycl.subscript %l[%one]
  %p = dycl.to_bool %a
  dycl.if %p {
    %m = dycl.invoke %l "append"(%a)
    dycl.yield
  }
  dycl.return %l
}
