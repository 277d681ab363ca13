// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// `x[a]` takes the items that `a` has here.

// CHECK-NOT:  append
// CHECK:      %[[NOW:.+]] = dycl.list(%zero, %zero)
// CHECK-NEXT: %part = dycl.subscript %x[%[[NOW]]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %a = dycl.list(%zero)
  %0 = dycl.invoke %a "append"(%zero)
  %part = dycl.subscript %x[%a]
  dycl.return %part
}
