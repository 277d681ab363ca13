// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// %a is followed to its end, and so is read as an item. Yet %l, which nobody can follow,
// has held it, so what changes %a stays.

// CHECK:      %l = dycl.list(%a)
// CHECK-NEXT: %p = dycl.invoke %l "pop"()
// CHECK-NEXT: %q = dycl.invoke %a "append"(%f)
// CHECK-NEXT: %z = dycl.call %f(%l)
// CHECK-NEXT: dycl.return %z, %l, %f
func.func @forward(%x: !dycl.value, %f: !dycl.value) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %a = dycl.list(%x)
  %l = dycl.list(%a)
  %p = dycl.invoke %l "pop"()
  %q = dycl.invoke %a "append"(%f)
  %z = dycl.call %f(%l)
  %b = dycl.subscript %a[%one]
  dycl.return %z, %l, %b
}
