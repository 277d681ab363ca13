// A list that one side makes, where the other side returns, is that list: it is no
// choice, and may be changed.
// RUN: dycl-opt %s --dycl-simplify-control | filecheck %s

// CHECK: dycl.if %c {
// CHECK-NEXT: dycl.return %x
// CHECK-NEXT: }
// CHECK-NEXT: %[[L:.*]] = dycl.list(%x)
// CHECK-NEXT: %{{.*}} = dycl.invoke %[[L]] "append"(%x)
// CHECK-NEXT: dycl.return %[[L]]
func.func @forward(%c: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["c", "x"]} {
  %l = dycl.if %c -> (!dycl.value) {
    dycl.return %x
  } else {
    %m = dycl.list(%x)
    dycl.yield %m
  }
  %n = dycl.invoke %l "append"(%x)
  dycl.return %l
}
