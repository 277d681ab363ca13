// RUN: dycl-opt --dycl-pair-dicts %s | filecheck %s

// A dict that a recursion is given to add to it: the function is given both lists.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.local_function "f"(%a, %t, %[[V:.*]]) {
// CHECK:           dycl.call %{{.*}}(%t, %[[V]], %a, %a)
// CHECK:           dycl.local_call "f"(%a, %t, %[[V]])
// CHECK:         lists = array<i64: 1, 2>
// CHECK:         dycl.local_call "f"(%x, %{{.*}}, %{{.*}})
// CHECK-NEXT:    dycl.return
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  dycl.local_function "f"(%a, %t) {
    dycl.store_subscript %t[%a], %a
    %0 = dycl.local_call "f"(%a, %t)
    dycl.local_return %0
  } {lists = array<i64: 1>}
  %d = dycl.dict()
  %y = dycl.local_call "f"(%x, %d)
  dycl.return %y
}
