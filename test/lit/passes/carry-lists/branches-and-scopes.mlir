// RUN: dycl-opt --dycl-carry-lists %s | filecheck %s

// One side of an `if` writes; a scope is left with the list as it is there.

// CHECK:      %l = dycl.sequence(%x)
// CHECK-NEXT: %s, %l_1 = dycl.scope "f" -> (!dycl.value, !dycl.value) {
// CHECK-NEXT:   %l_2 = dycl.if %x -> (!dycl.value) {
// CHECK-NEXT:     %l_3 = dycl.append %l, %x
// CHECK-NEXT:     dycl.yield %l_3
// CHECK-NEXT:   } else {
// CHECK-NEXT:     dycl.leave "f" %x, %l
// CHECK-NEXT:   }
// CHECK-NEXT:   dycl.leave "f" %x, %l_2
// CHECK:      %t = dycl.tuple(%s, %l_1)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %l = dycl.list(%x)
  %s = dycl.scope "f" -> (!dycl.value) {
    dycl.if %x {
      %0 = dycl.invoke %l "append"(%x)
      dycl.yield
    } else {
      dycl.leave "f" %x
    }
    dycl.leave "f" %x
  }
  %t = dycl.tuple(%s, %l)
  dycl.return %t
}
