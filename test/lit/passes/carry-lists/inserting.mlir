// RUN: dycl-opt --dycl-carry-lists --verify-diagnostics %s | filecheck %s

// What is inserted at 0 comes before all others; at another place, the list is cut there;
// if it is the list itself, the list stays as it is.

// CHECK:      %a = dycl.sequence(%x)
// CHECK:      } do(%[[B:.*]]) {
// CHECK-NEXT:   %[[ONE:.*]] = dycl.sequence(%x)
// CHECK-NEXT:   %[[ALL:.*]] = dycl.extend %[[ONE]], %[[B]]
// CHECK-NEXT:   dycl.yield %[[ALL]]
// CHECK:      %[[HEAD:.*]] = dycl.take %b, {{.*}}, %one
// CHECK-NEXT: %[[MORE:.*]] = dycl.append %[[HEAD]], %x
// CHECK:      %[[TAIL:.*]] = dycl.take %b, %one, {{.*}}
// CHECK-NEXT: dycl.extend %[[MORE]], %[[TAIL]]
// CHECK:      dycl.invoke %c "insert"(%zero, %c)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %a = dycl.list(%x)
  dycl.while {
    dycl.condition %x
  } do {
    %0 = dycl.invoke %a "insert"(%zero, %x)
    dycl.yield
  }
  %b = dycl.list(%x)
  %1 = dycl.invoke %b "insert"(%one, %x)
  %c = dycl.list(%x)
  // expected-remark @+1 {{list not carried: here it cannot be followed}}
  %2 = dycl.invoke %c "insert"(%zero, %c)
  %all = dycl.tuple(%a, %b, %c)
  dycl.return %all
}
