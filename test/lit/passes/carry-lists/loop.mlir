// RUN: dycl-opt --dycl-carry-lists %s | filecheck %s
// RUN: dycl-opt --dycl-carry-lists --dycl-carry-lists %s | filecheck %s

// What a loop appends is carried; every way to the next iteration and out hands it on.

// CHECK:      %outs = dycl.sequence()
// CHECK-NEXT: %y, %outs_1 = dycl.while carry(%a = %x, %outs_2 = %outs) {
// CHECK:        dycl.condition %p, %a, %outs_2
// CHECK-NEXT: } do(%b, %outs_3) {
// CHECK-NEXT:   %outs_4 = dycl.append %outs_3, %b
// CHECK:        dycl.if %q {
// CHECK-NEXT:     dycl.break %b, %outs_4
// CHECK:        %outs_5 = dycl.append %outs_4, %b
// CHECK-NEXT:   dycl.yield %b, %outs_5
// CHECK:      %{{.*}} = dycl.call %stack(%outs_1)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %stack = dycl.constant #dycl.global<"torch.stack">
  %outs = dycl.list()
  %y = dycl.while carry(%a = %x) {
    %p = dycl.compare lt %a, %x
    dycl.condition %p, %a
  } do(%b) {
    %0 = dycl.invoke %outs "append"(%b)
    %q = dycl.compare gt %b, %x
    dycl.if %q {
      dycl.break %b
    }
    %1 = dycl.invoke %outs "append"(%b)
    dycl.yield %b
  }
  %s = dycl.call %stack(%outs)
  dycl.return %s
}
