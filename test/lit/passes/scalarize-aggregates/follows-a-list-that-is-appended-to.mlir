// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// What is read after an append is there; the list that is returned has all items.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.invoke
// CHECK:         [[N:%.*]] = dycl.constant 2 : i64
// CHECK:         [[L:%.*]] = dycl.list(%x, %y)
// CHECK-NEXT:    [[R:%.*]] = dycl.tuple(%y, [[N]], [[L]])
// CHECK-NEXT:    dycl.return [[R]]
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64

  %l = dycl.list()
  %a = dycl.invoke %l "append"(%x)
  %b = dycl.invoke %l "append"(%y)
  %z = dycl.subscript %l[%one]
  %len = dycl.constant #dycl.global<"builtins.len">
  %n = dycl.call %len(%l)
  %r = dycl.tuple(%z, %n, %l)
  dycl.return %r
}
