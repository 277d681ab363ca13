// RUN: dycl-opt --dycl-split-tuples --dycl-eliminate-dead-code %s | filecheck %s

// A `torch.Size` that both sides make is made of the items behind the `if`.

// CHECK:      %[[SIZE:.*]] = dycl.constant #dycl.global<"torch.Size">
// CHECK:      %s = dycl.if %p
// CHECK-NEXT:   dycl.yield %a
// CHECK:        dycl.yield %b
// CHECK:      %[[ITEMS:.*]] = dycl.tuple(%n, %s)
// CHECK-NEXT: %[[MADE:.*]] = dycl.call %[[SIZE]](%[[ITEMS]])
// CHECK-NEXT: dycl.return %[[MADE]]
func.func @forward(%p: !dycl.value, %n: !dycl.value, %a: !dycl.value, %b: !dycl.value) attributes {dycl.entry} {
  %Size = dycl.constant #dycl.global<"torch.Size">
  %s = dycl.if %p -> (!dycl.value) {
    %0 = dycl.tuple(%n, %a)
    %1 = dycl.call %Size(%0)
    dycl.yield %1
  } else {
    %2 = dycl.tuple(%n, %b)
    %3 = dycl.call %Size(%2)
    dycl.yield %3
  }
  dycl.return %s
}
