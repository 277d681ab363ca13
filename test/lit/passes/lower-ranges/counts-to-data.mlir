// RUN: dycl-opt --dycl-lower-ranges %s | filecheck %s

// The counter moves on whichever way an iteration ends; the item may be carried as well.

// CHECK-NOT:  dycl.for
// CHECK:      %[[ZERO:.*]] = dycl.constant 0 : i64 -> !torch.int
// CHECK-NEXT: %[[ONE:.*]] = dycl.constant 1 : i64 -> !torch.int
// CHECK-NEXT: dycl.while carry(%item : !torch.int = %[[ZERO]] : !torch.int, %y_1 = %x, %i_2 = %i) {
// CHECK-NEXT:   %[[TEST:.*]] = dycl.compare lt %item, %n
// CHECK-NEXT:   dycl.condition %[[TEST]], %item, %y_1, %i_2
// CHECK-NEXT: } do(%item_1, %a, %b) {
// CHECK-NEXT:   %item_2 = dycl.binary add %item_1, %[[ONE]]
// CHECK:          dycl.continue %item_2, %a, %item_1
// CHECK:          dycl.break %item_2, %a, %b
// CHECK:        dycl.yield %item_2, %c, %item_1
// CHECK-NEXT: } {test = "i in range(n)"}
func.func @forward(%x: !dycl.value, %n: !torch.int) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %items = dycl.call %range(%n) : (!dycl.value, !torch.int) -> !dycl.value
  %i_0 = dycl.unbound "i"
  %y, %i = dycl.for %item in %items carry(%a = %x, %b = %i_0) {
    %p = dycl.compare gt %a, %item
    dycl.if %p {
      dycl.continue %a, %item
    }
    %q = dycl.compare lt %a, %item
    dycl.if %q {
      dycl.break %a, %b
    }
    %c = dycl.binary add %a, %item
    dycl.yield %c, %item
  } {test = "i in range(n)"}
  dycl.return %y
}
