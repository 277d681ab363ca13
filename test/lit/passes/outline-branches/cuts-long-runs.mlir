// RUN: dycl-opt --dycl-outline-branches=max-ops=4 %s | filecheck %s

// A run of more than max-ops operations becomes several kernels. It is cut where the
// fewest elements cross, here one, and not between a product and what works on it.

// CHECK-LABEL: func.func @forward
// CHECK:         %s = dycl.launch @forward_head(%x) :
// CHECK-NEXT:    %c = dycl.launch @forward_tail(%w, %s, %v) :
// CHECK-NEXT:    dycl.return %c
// CHECK-LABEL: func.func @forward_head
// CHECK:         torch.aten.sum
// CHECK-NEXT:    func.return
// CHECK-LABEL: func.func @forward_tail
// CHECK-NEXT:    torch.aten.mul.Tensor
// CHECK-NEXT:    torch.aten.mm
// CHECK-NEXT:    torch.aten.relu
func.func @forward(%x: !torch.vtensor<[8],f32>, %w: !torch.vtensor<[1,8],f32>, %v: !torch.vtensor<[8,8],f32>) attributes {dycl.entry} {
  %none = torch.constant.none
  %y = torch.aten.relu %x : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %s = torch.aten.sum %y, %none : !torch.vtensor<[8],f32>, !torch.none -> !torch.vtensor<[],f32>
  %a = torch.aten.mul.Tensor %w, %s : !torch.vtensor<[1,8],f32>, !torch.vtensor<[],f32> -> !torch.vtensor<[1,8],f32>
  %b = torch.aten.mm %a, %v : !torch.vtensor<[1,8],f32>, !torch.vtensor<[8,8],f32> -> !torch.vtensor<[1,8],f32>
  %c = torch.aten.relu %b : !torch.vtensor<[1,8],f32> -> !torch.vtensor<[1,8],f32>
  dycl.return %c : (!torch.vtensor<[1,8],f32>) -> ()
}
