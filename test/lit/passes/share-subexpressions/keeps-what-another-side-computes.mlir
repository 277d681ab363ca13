// RUN: dycl-opt --dycl-share-subexpressions %s | filecheck %s

// What one side of a decision computes is not there on the other side, nor behind it.
// What is there before the decision is there on both sides.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p
// CHECK-NEXT:      %a = torch.aten.mm %x, %x
// CHECK:         } else {
// CHECK-NEXT:      %b = torch.aten.mm %x, %x
// CHECK:         %c = torch.aten.mm %x, %x
// CHECK-NEXT:    dycl.if %p
// CHECK-NEXT:      dycl.return %c
// CHECK:         %r = torch.aten.relu %y
// CHECK-NEXT:    %s = torch.aten.relu %y
// CHECK-NEXT:    dycl.return %r, %s
func.func @forward(%x: !torch.vtensor<[2,2],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %y = dycl.if %p : !torch.bool -> (!torch.vtensor<[2,2],f32>) {
    %a = torch.aten.mm %x, %x : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
    dycl.yield %a : (!torch.vtensor<[2,2],f32>) -> ()
  } else {
    %b = torch.aten.mm %x, %x : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
    dycl.yield %b : (!torch.vtensor<[2,2],f32>) -> ()
  }
  %c = torch.aten.mm %x, %x : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  dycl.if %p : !torch.bool {
    %d = torch.aten.mm %x, %x : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
    dycl.return %d : (!torch.vtensor<[2,2],f32>) -> ()
  }
  %r = torch.aten.relu %y : !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  %s = torch.aten.relu %y : !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  dycl.return %r, %s : (!torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32>) -> ()
}
