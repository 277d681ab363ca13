// RUN: dycl-opt --dycl-outline-branches=max-ops=2 %s | filecheck %s

// A list of tensors is in no buffer, so no cut parts it from its users: the kernel has
// more than max-ops operations.

// CHECK-LABEL: func.func @forward
// CHECK:         %b, %c = dycl.launch @forward_head(%x) :
// CHECK-NEXT:    %d = dycl.launch @forward_tail(%b, %c) :
// CHECK-LABEL: func.func @forward_head
// CHECK:         torch.aten.chunk
// CHECK-NEXT:    torch.aten.relu
// CHECK-NEXT:    torch.prim.ListUnpack
func.func @forward(%x: !torch.vtensor<[2,4],f32>) attributes {dycl.entry} {
  %int2 = torch.constant.int 2
  %int0 = torch.constant.int 0
  %l = torch.aten.chunk %x, %int2, %int0 : !torch.vtensor<[2,4],f32>, !torch.int, !torch.int -> !torch.list<vtensor<[1,4],f32>>
  %r = torch.aten.relu %x : !torch.vtensor<[2,4],f32> -> !torch.vtensor<[2,4],f32>
  %b, %c = torch.prim.ListUnpack %l : !torch.list<vtensor<[1,4],f32>> -> !torch.vtensor<[1,4],f32>, !torch.vtensor<[1,4],f32>
  %d = torch.aten.mul.Tensor %b, %c : !torch.vtensor<[1,4],f32>, !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  dycl.return %d : (!torch.vtensor<[1,4],f32>) -> ()
}
