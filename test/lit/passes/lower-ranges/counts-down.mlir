// RUN: dycl-opt --dycl-lower-ranges %s | filecheck %s

// The sign of the step decides the test; bounds that are tensors become ints once.

// CHECK:      %[[STOP:.*]] = dycl.call %{{.*}}(%t)
// CHECK:      %[[STEP:.*]] = dycl.constant -2 : i64
// CHECK:      dycl.while carry(%item : !torch.int = %n : !torch.int) {
// CHECK-NEXT:   %{{.*}} = dycl.compare gt %item, %[[STOP]]
// CHECK:        dycl.binary add %item_1, %[[STEP]]
func.func @forward(%n: !torch.int, %t: !torch.vtensor<[1],si64>) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %two = dycl.constant -2 : i64
  %items = dycl.call %range(%n, %t, %two) : (!dycl.value, !torch.int, !torch.vtensor<[1],si64>, !dycl.value) -> !dycl.value
  dycl.for %item in %items {
    dycl.setattr %item "seen", %item
  }
  dycl.return %n : (!torch.int) -> ()
}
