// RUN: dycl-opt %s | dycl-opt | filecheck %s

// The last arm is the default; a position says what a missing key raises.

// CHECK-LABEL: func.func @f
func.func @f(%i: !torch.int, %a: !dycl.value) -> !dycl.value {
  // CHECK-NEXT: %k = dycl.position %i in 3 : i64 else "IndexError: index {} is out of range" : (!torch.int) -> !torch.int
  %k = dycl.position %i in 3 : i64 else "IndexError: index {} is out of range" : (!torch.int) -> !torch.int
  // CHECK-NEXT: %p = dycl.position %a in #dycl.tuple<["x", "y"]>
  %p = dycl.position %a in #dycl.tuple<["x", "y"]>
  // CHECK-NEXT: %r = dycl.switch %k : !torch.int -> (!dycl.value) case 0 {
  // CHECK-NEXT:   dycl.yield %a
  // CHECK-NEXT: } case 1 {
  // CHECK-NEXT:   dycl.return %a
  // CHECK-NEXT: } default {
  // CHECK-NEXT:   dycl.yield %p
  // CHECK-NEXT: } {test = "i"}
  %r = dycl.switch %k : !torch.int -> (!dycl.value) case 0 {
    dycl.yield %a
  } case 1 {
    dycl.return %a
  } default {
    dycl.yield %p
  } {test = "i"}
  dycl.return %r
}
