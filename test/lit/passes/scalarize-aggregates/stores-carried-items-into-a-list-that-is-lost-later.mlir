// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// The loop carries the item that it sets. How long the list is after the `if` depends on
// data, so it stays a list, which has to hold that item.

// CHECK:      %r, %l_1 = dycl.while carry(%s = %x, %l_2 = %x) {
// CHECK:      dycl.store_subscript %l[{{%[0-9]+}}], %l_1
// CHECK-NEXT: dycl.if %f {
// CHECK-NEXT:   %q = dycl.invoke %l "append"(%x)
func.func @forward(%x: !dycl.value, %f: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %l = dycl.list(%x, %f)
  %r = dycl.while carry(%s = %x) {
    dycl.condition %s, %s
  } do(%t) {
    %a = dycl.subscript %l[%zero]
    %n = dycl.binary add %a, %t
    dycl.store_subscript %l[%zero], %n
    dycl.yield %n
  }
  dycl.if %f {
    %q = dycl.invoke %l "append"(%x)
    dycl.yield
  } else {
    dycl.yield
  }
  %d = dycl.subscript %l[%zero]
  dycl.return %r, %d
}
