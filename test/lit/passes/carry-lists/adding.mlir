// RUN: dycl-opt --dycl-carry-lists %s | filecheck %s

// `a + [x]` is a new list, `a += (x, x)` the same one, and lists extend lists.

// CHECK:      %a = dycl.sequence()
// CHECK-NEXT: %r = dycl.while carry(%b = %a) {
// CHECK:        %[[N:.*]] = dycl.append %c, %x
// CHECK-NEXT:   dycl.yield %[[N]]
// CHECK:      %[[ONE:.*]] = dycl.append %r, %x
// CHECK-NEXT: %[[TWO:.*]] = dycl.append %[[ONE]], %x
// CHECK-NEXT: %[[ALL:.*]] = dycl.extend %[[TWO]], %[[TWO]]
// CHECK-NEXT: dycl.return %[[ALL]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %a = dycl.list()
  %r = dycl.while carry(%b = %a) {
    dycl.condition %x, %b
  } do(%c) {
    %one = dycl.list(%x)
    %n = dycl.binary add %c, %one
    dycl.yield %n
  }
  %two = dycl.tuple(%x, %x)
  %s = dycl.inplace add %r, %two
  %0 = dycl.invoke %s "extend"(%s)
  dycl.return %s
}
