// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-follow-writes --dycl-expand-modules --dycl-eliminate-dead-code %s | filecheck %s

// The host finds the place; the store is a choice between what is stored and what was
// there, in the part that is known: row 0.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[ROW:.*]] = torch.aten.select.int
// CHECK:         %[[AT:.*]] = dycl.position %k in 3 {{.*}} dimension 1 with size 3
// CHECK:         %[[HERE:.*]] = torch.aten.eq.Scalar {{.*}}, %[[AT]]
// CHECK:         %[[NEW:.*]] = torch.aten.where.self {{.*}}, %[[ROW]]
// CHECK:         %[[Y:.*]] = torch.aten.select_scatter %y, %[[NEW]],
// CHECK:         dycl.return %[[Y]]
func.func @forward(%x: !torch.vtensor<[2,3],f32>, %k: !torch.int) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %y = dycl.invoke %x "exp"() : (!torch.vtensor<[2,3],f32>) -> !dycl.value
  %i = dycl.tuple(%zero, %k) : (!dycl.value, !torch.int) -> !dycl.value
  dycl.store_subscript %y[%i], %zero
  dycl.return %y
}
