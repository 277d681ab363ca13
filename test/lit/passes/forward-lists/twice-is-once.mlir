// RUN: dycl-opt --dycl-forward-lists --dycl-forward-lists %s | filecheck %s

// What stands behind the `if` is a new list, made of the tuple that it forwards.

// CHECK:      %[[R:.*]] = dycl.if %p -> (!dycl.value) {
// CHECK-COUNT-2: dycl.call %{{.*}}(%{{.*}})
// CHECK:      %[[L:.*]] = dycl.call %{{.*}}(%[[R]])
// CHECK-NEXT: dycl.return %[[L]]
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %r = dycl.if %p -> (!dycl.value) {
    %a = dycl.list(%x)
    dycl.yield %a
  } else {
    %b = dycl.list(%x, %x)
    dycl.yield %b
  }
  dycl.return %r
}
