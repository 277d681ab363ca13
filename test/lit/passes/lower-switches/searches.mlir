// RUN: dycl-opt --dycl-lower-switches %s | filecheck %s

// Four arms are two comparisons deep; the last two are told apart by name.

// CHECK:         %[[TWO:.*]] = dycl.constant 2 : i64 -> !torch.int
// CHECK-NEXT:    %[[C:.*]] = dycl.compare lt %k, %[[TWO]] : (!torch.int, !torch.int) -> !torch.bool
// CHECK-NEXT:    %r = dycl.if %[[C]] : !torch.bool -> (!dycl.value) {
// CHECK:           dycl.compare lt %k
// CHECK:             dycl.yield %a
// CHECK:             dycl.yield %b
// CHECK:           {test = "i == 0"}
// CHECK:         } else {
// CHECK:             dycl.yield %c
// CHECK:             dycl.yield %d
// CHECK:           {test = "i == 2"}
// CHECK:         {test = "i < 2"}
// CHECK-NEXT:    dycl.return %r
func.func @forward(%k: !torch.int, %a: !dycl.value, %b: !dycl.value, %c: !dycl.value, %d: !dycl.value) attributes {dycl.entry} {
  %r = dycl.switch %k : !torch.int -> (!dycl.value) case 0 {
    dycl.yield %a
  } case 1 {
    dycl.yield %b
  } case 2 {
    dycl.yield %c
  } default {
    dycl.yield %d
  } {test = "i"}
  dycl.return %r
}
