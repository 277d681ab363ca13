// RUN: dycl-opt --dycl-share-subexpressions %s | filecheck %s
// RUN: dycl-opt --dycl-share-subexpressions --dycl-share-subexpressions %s | filecheck %s

// A matrix product of the same operands is computed once, whatever the exits between,
// also where the operands are computed anew, each time in the same way. A product of
// other operands is another one, and so is one with another constant.

// CHECK-LABEL: func.func @forward
// CHECK:         %a = torch.aten.mm %y, %w
// CHECK-NEXT:    dycl.if %p : !torch.bool {
// CHECK-NEXT:      dycl.return %a
// CHECK:         %r = torch.aten.relu %x
// CHECK-NOT:     = torch.aten.mm %r
// CHECK:         %o = torch.aten.mm %w, %y
// CHECK:         %t = torch.aten.mul.Scalar %x, %three
// CHECK-NEXT:    %c = torch.aten.mm %t, %w
// CHECK-NEXT:    dycl.return %a, %o, %c
func.func @forward(%x: !torch.vtensor<[2,2],f32>, %w: !torch.vtensor<[2,2],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %two = torch.constant.int 2
  %z = torch.aten.mul.Scalar %x, %two : !torch.vtensor<[2,2],f32>, !torch.int -> !torch.vtensor<[2,2],f32>
  %y = torch.aten.relu %x : !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  %k = torch.aten.mm %z, %w : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  %a = torch.aten.mm %y, %w : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  dycl.if %p : !torch.bool {
    dycl.return %a : (!torch.vtensor<[2,2],f32>) -> ()
  }
  %r = torch.aten.relu %x : !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  %b = torch.aten.mm %r, %w : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  %o = torch.aten.mm %w, %y : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  %three = torch.constant.int 3
  %t = torch.aten.mul.Scalar %x, %three : !torch.vtensor<[2,2],f32>, !torch.int -> !torch.vtensor<[2,2],f32>
  %c = torch.aten.mm %t, %w : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  dycl.return %b, %o, %c : (!torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32>) -> ()
}
