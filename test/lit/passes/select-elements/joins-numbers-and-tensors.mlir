// RUN: dycl-opt --dycl-select-elements %s | filecheck %s

// Elements of one type become one value, which its users share.

// CHECK:         dycl.position %i in 3 : i64 else "IndexError: tuple index out of range"
// CHECK-NEXT:    %[[N:.*]] = dycl.switch %{{.*}} -> (!dycl.value) case 0 {
// CHECK:           dycl.constant 5 : i64
// CHECK-NEXT:      dycl.yield
// CHECK:         } default {
// CHECK-NEXT:      dycl.constant 9 : i64
// CHECK:         dycl.binary add %[[N]], %i
// CHECK-NEXT:    dycl.binary mul %{{.*}}, %[[N]]
// CHECK:         dycl.position %i in 2 : i64 else "IndexError: tuple index out of range"
// CHECK-NEXT:    dycl.switch
// CHECK-NEXT:      dycl.yield %t
// CHECK-NEXT:    } default {
// CHECK-NEXT:      dycl.yield %u
func.func @forward(%i: !torch.int, %t: !torch.vtensor<[2],f32>, %u: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %table = dycl.constant #dycl.tuple<[5, 7, 9]>
  %n = dycl.subscript %table[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %a = dycl.binary add %n, %i : (!dycl.value, !torch.int) -> !dycl.value
  %b = dycl.binary mul %a, %n
  %pair = dycl.tuple(%t, %u) : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !dycl.value
  %c = dycl.subscript %pair[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %d = dycl.binary add %b, %c
  dycl.return %d
}
