// RUN: dycl-opt --dycl-select-elements %s | filecheck %s

// A slice up to one of several widths: each arm has its own, and no position twice.

// CHECK-COUNT-1: dycl.position
// CHECK:         dycl.switch
// CHECK:           dycl.constant 2 : i64
// CHECK:           dycl.slice
// CHECK-NEXT:      dycl.subscript %x
// CHECK:         } default {
// CHECK:           dycl.constant 4 : i64
// CHECK:           dycl.slice
// CHECK-NEXT:      dycl.subscript %x
// CHECK-NOT:     dycl.position
func.func @forward(%i: !torch.int, %x: !torch.vtensor<[4],f32>) attributes {dycl.entry} {
  %widths = dycl.constant #dycl.tuple<[2, 4]>
  %none = dycl.constant #dycl.none
  %width = dycl.subscript %widths[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %again = dycl.subscript %widths[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %part = dycl.slice(%none, %width, %none)
  %y = dycl.subscript %x[%part] : (!torch.vtensor<[4],f32>, !dycl.value) -> !dycl.value
  %z = dycl.binary mul %y, %again
  dycl.return %z
}
