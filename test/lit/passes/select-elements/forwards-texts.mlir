// RUN: dycl-opt --dycl-select-elements %s | filecheck %s

// A text that is kept is what a switch gives, and in each arm a constant.

// CHECK:      [[N:%.*]] = dycl.position %i in 2 : i64
// CHECK-NEXT: [[D:%.*]] = dycl.switch [[N]] -> (!dycl.value) case 0 {
// CHECK-NEXT:   [[A:%.*]] = dycl.constant "a"
// CHECK-NEXT:   dycl.yield [[A]]
// CHECK-NEXT: } default {
// CHECK-NEXT:   [[B:%.*]] = dycl.constant "b"
// CHECK-NEXT:   dycl.yield [[B]]
// CHECK:      dycl.tuple(%x, [[D]])
func.func @forward(%x: !dycl.value, %i: !torch.int) attributes {dycl.entry} {
  %names = dycl.constant #dycl.tuple<["a", "b"]>
  %d = dycl.subscript %names[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %r = dycl.tuple(%x, %d)
  dycl.return %r
}
