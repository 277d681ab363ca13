// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A list is extended by the items of a constant, and by the keys of a dict.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.invoke
// CHECK-NOT:     dycl.inplace
// CHECK:         dycl.return
// CHECK-SAME:    %x, %{{.*}}, %a, %a
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %two = dycl.constant [2 : i64]
  %a = dycl.constant "a"
  %d = dycl.dict(%a, %x)
  %l = dycl.list(%x)
  %n = dycl.invoke %l "extend"(%two)
  %m = dycl.invoke %l "extend"(%d)
  %l2 = dycl.inplace add %l, %d
  %r0, %r1, %r2, %r3 = dycl.unpack %l2 -> 4
  dycl.return %r0, %r1, %r2, %r3
}
