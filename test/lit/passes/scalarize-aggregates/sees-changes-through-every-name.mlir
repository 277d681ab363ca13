// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A list stored in another is the same list: a later change shows in both.

// CHECK-LABEL: func.func @forward
// CHECK:         [[A:%.*]] = dycl.list(%x, %y)
// CHECK-NEXT:    [[B:%.*]] = dycl.list([[A]])
// CHECK-NEXT:    dycl.return [[B]]
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64

  %a = dycl.list(%x)
  %b = dycl.list(%zero)
  dycl.store_subscript %b[%zero], %a
  %n = dycl.invoke %a "append"(%y)
  dycl.return %b
}
