// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// What reads it in front and what shares its memory keep the shape that they have.

// CHECK:      %y = dycl.invoke %x "sum"
// CHECK-NEXT: %a = dycl.invoke %y "exp"()
// CHECK-NEXT: %[[V:.+]] = dycl.invoke %y "unsqueeze"(%n)
// CHECK-NEXT: dycl.return %a, %[[V]], %[[V]]
func.func @forward(%x: !torch.vtensor<[4,4],f32>, %n: !torch.int) attributes {dycl.entry} {
  %y = dycl.invoke %x "sum"(%n) : (!torch.vtensor<[4,4],f32>, !torch.int) -> !dycl.value
  %a = dycl.invoke %y "exp"()
  %r = dycl.invoke %y "unsqueeze_"(%n) : (!dycl.value, !torch.int) -> !dycl.value
  dycl.return %a, %y, %r
}
