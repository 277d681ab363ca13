// RUN: dycl-opt --dycl-lower-ranges %s | filecheck %s

// `reversed(range(n, m))` and `reversed(range(0, m, 3))`: the same numbers, the last first.

// CHECK:      %[[LAST:.*]] = dycl.binary sub %m, %{{.*}}
// CHECK:      %[[END:.*]] = dycl.binary sub %n, %{{.*}}
// CHECK:      %[[STEP:.*]] = dycl.constant -1 : i64
// CHECK:      dycl.while carry(%item : !torch.int = %[[LAST]] : !torch.int) {
// CHECK-NEXT:   %{{.*}} = dycl.compare gt %item, %[[END]]
// CHECK:        dycl.binary add %item_1, %[[STEP]]
// CHECK:      %[[COUNT:.*]] = dycl.binary floordiv
// CHECK:      %[[BY:.*]] = dycl.binary mul %[[COUNT]]
// CHECK:      %[[LAST3:.*]] = dycl.binary add %{{.*}}, %[[BY]]
// CHECK:      dycl.while carry(%other : !torch.int = %[[LAST3]] : !torch.int) {
func.func @forward(%n: !torch.int, %m: !torch.int) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %reversed = dycl.constant #dycl.global<"builtins.reversed">
  %items = dycl.call %range(%n, %m) : (!dycl.value, !torch.int, !torch.int) -> !dycl.value
  %from_the_end = dycl.call %reversed(%items) : (!dycl.value, !dycl.value) -> !dycl.value
  dycl.for %item in %from_the_end {
    dycl.setattr %item "seen", %item
  }
  %zero = dycl.constant 0 : i64
  %three = dycl.constant 3 : i64
  %thirds = dycl.call %range(%zero, %m, %three) : (!dycl.value, !dycl.value, !torch.int, !dycl.value) -> !dycl.value
  %last_first = dycl.call %reversed(%thirds) : (!dycl.value, !dycl.value) -> !dycl.value
  dycl.for %other in %last_first {
    dycl.setattr %other "seen", %other
  }
  dycl.return %n : (!torch.int) -> ()
}
