// RUN: dycl-opt --dycl-keep-recursion --dycl-keep-recursion %s | filecheck %s

// All paths give a tuple of two: the function gives its items.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.local_function "f"(%a) {
// CHECK:           dycl.local_return %a, %a
// CHECK:           %[[B:.*]], %[[C:.*]] = dycl.local_call "f"(%a) : (!dycl.value) -> (!dycl.value, !dycl.value)
// CHECK-NEXT:      dycl.tuple(%[[B]], %[[C]])
// CHECK:         %[[Y:.*]], %[[Z:.*]] = dycl.local_call "f"(%x)
// CHECK-NEXT:    dycl.tuple(%[[Y]], %[[Z]])
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x) {dycl.recursion = ["!dycl.value"]}
  dycl.return %y
}
func.func @f(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"]} {
  %p = dycl.to_bool %a
  dycl.if %p {
    %t = dycl.tuple(%a, %a)
    dycl.return %t
  }
  %f = dycl.constant #dycl.function<@f>
  %c = dycl.call %f(%a) {dycl.recursion = ["!dycl.value"]}
  dycl.return %c
}
