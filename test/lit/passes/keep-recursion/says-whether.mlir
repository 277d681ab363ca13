// RUN: dycl-opt --dycl-keep-recursion --dycl-keep-recursion %s | filecheck %s

// One path gives None, one a tuple, one what a further call gives: the first result says
// whether there are others, and behind a call an `if` makes the tuple or None.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.local_function "f"(%a) {
// CHECK:           %[[NO:.*]] = dycl.constant false
// CHECK-NEXT:      %[[U:.*]] = dycl.unbound ""
// CHECK-NEXT:      %[[V:.*]] = dycl.unbound ""
// CHECK-NEXT:      dycl.local_return %[[NO]], %[[U]], %[[V]]
// CHECK:           %[[YES:.*]] = dycl.constant true
// CHECK-NEXT:      dycl.local_return %[[YES]], %a, %a
// CHECK:         or_none, items = 2 : i64
// CHECK:         %[[Q:.*]], %[[Y:.*]], %[[Z:.*]] = dycl.local_call "f"(%x)
// CHECK-NEXT:    %[[R:.*]] = dycl.if %[[Q]] -> (!dycl.value) {
// CHECK-NEXT:      %[[T:.*]] = dycl.tuple(%[[Y]], %[[Z]])
// CHECK-NEXT:      dycl.yield %[[T]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[N:.*]] = dycl.constant #dycl.none
// CHECK-NEXT:      dycl.yield %[[N]]
// CHECK-NEXT:    } {test = "the call gives something"}
// CHECK-NEXT:    dycl.return %[[R]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x) {dycl.recursion = ["!dycl.value"]}
  dycl.return %y
}
func.func @f(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"]} {
  %p = dycl.to_bool %a
  dycl.if %p {
    %n = dycl.constant #dycl.none
    dycl.return %n
  }
  %t = dycl.tuple(%a, %a)
  dycl.return %t
}
