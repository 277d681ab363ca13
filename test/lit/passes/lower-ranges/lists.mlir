// RUN: dycl-opt --dycl-lower-ranges %s | filecheck %s

// A loop over a list of unknown length counts; `reversed` counts from the end.

// CHECK-NOT:  dycl.for
// CHECK:      %[[N:.*]] = dycl.call %{{.*}}(%l)
// CHECK:      dycl.while carry(
// CHECK-NEXT:   dycl.compare lt %{{.*}}, %[[N]]
// CHECK:        %{{.*}} = dycl.subscript %l[%{{.*}}]
// CHECK:      dycl.while carry(
// CHECK:        %[[MINUS:.*]] = dycl.constant -1 : i64
// CHECK:        %[[LAST:.*]] = dycl.binary sub %[[MINUS]], %{{.*}}
// CHECK-NEXT:   %{{.*}} = dycl.subscript %l[%[[LAST]]]
func.func @forward(%l: !dycl.sequence<!torch.int>) attributes {dycl.entry} {
  dycl.for %item in %l : !dycl.sequence<!torch.int> {
    dycl.setattr %item "seen", %item
  }
  %reversed = dycl.constant #dycl.global<"builtins.reversed">
  %back = dycl.call %reversed(%l) : (!dycl.value, !dycl.sequence<!torch.int>) -> !dycl.value
  dycl.for %item_1 in %back {
    dycl.setattr %item_1 "seen", %item_1
  }
  dycl.return
}
