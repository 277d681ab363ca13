// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A slice that is set takes the items that the other list has then, however many.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.store_subscript
// CHECK:         %[[T:.*]] = dycl.list(%x, %y, %x, %y)
// CHECK-NEXT:    dycl.return %[[T]]
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none
  %one = dycl.constant 1 : i64
  %l = dycl.list(%x, %x)
  %m = dycl.list(%y, %x)
  %n = dycl.invoke %m "append"(%y)
  %s = dycl.slice(%one, %none, %none)
  dycl.store_subscript %l[%s], %m
  %k = dycl.invoke %m "append"(%x)
  dycl.return %l
}
