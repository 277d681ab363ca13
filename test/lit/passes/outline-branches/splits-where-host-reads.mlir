// RUN: dycl-opt --dycl-outline-branches %s | filecheck %s
// RUN: dycl-opt --dycl-outline-branches --dycl-outline-branches %s | filecheck %s

// One kernel as early as it can be; another only for what needs a number that the host
// reads from the first. Only what is used outside comes out, and lists stay inside.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %y, %z = dycl.launch @forward_head(%x) :
// CHECK-NEXT:    %n = dycl.item %y
// CHECK-NEXT:    %a = dycl.launch @forward_tail(%z, %n) :
// CHECK-NEXT:    dycl.return %a
// CHECK-LABEL: func.func @forward_head(%x: !torch.vtensor<[1],f32>) -> (!torch.vtensor<[1],f32>, !torch.vtensor<[2],f32>) attributes {dycl.kernel} {
// CHECK-NEXT:    %y = torch.aten.relu %x
// CHECK-NEXT:    %w = torch.aten.exp %x
// CHECK-NEXT:    %l = torch.prim.ListConstruct %w, %w
// CHECK-NEXT:    %int0 = torch.constant.int 0
// CHECK-NEXT:    %z = torch.aten.cat %l, %int0
// CHECK-NEXT:    func.return %y, %z
// CHECK-LABEL: func.func @forward_tail
// CHECK-NEXT:    %a = torch.aten.mul.Scalar %z, %n
func.func @forward(%x: !torch.vtensor<[1],f32>) attributes {dycl.entry} {
  %int0 = torch.constant.int 0
  %y = torch.aten.relu %x : !torch.vtensor<[1],f32> -> !torch.vtensor<[1],f32>
  %n = dycl.item %y : (!torch.vtensor<[1],f32>) -> !torch.float
  %w = torch.aten.exp %x : !torch.vtensor<[1],f32> -> !torch.vtensor<[1],f32>
  %l = torch.prim.ListConstruct %w, %w : (!torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>) -> !torch.list<vtensor<[1],f32>>
  %z = torch.aten.cat %l, %int0 : !torch.list<vtensor<[1],f32>>, !torch.int -> !torch.vtensor<[2],f32>
  %a = torch.aten.mul.Scalar %z, %n : !torch.vtensor<[2],f32>, !torch.float -> !torch.vtensor<[2],f32>
  dycl.return %a : (!torch.vtensor<[2],f32>) -> ()
}
