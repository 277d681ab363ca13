// RUN: dycl-opt --dycl-outline-branches=max-ops=4 --dycl-share-kernels %s | filecheck %s

// Slices of an input come first where a run is cut: what is done with each is equal.

// CHECK-LABEL: func.func @forward
// CHECK:         %a, %b, %c = dycl.launch @forward_head(%x) :
// CHECK-LABEL: func.func @forward_head
// CHECK-COUNT-3: torch.aten.select.int
// CHECK-NOT:   torch.aten.select.int
func.func @forward(%x: !torch.vtensor<[3,8],f32>) attributes {dycl.entry} {
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %a = torch.aten.select.int %x, %int0, %int0 : !torch.vtensor<[3,8],f32>, !torch.int, !torch.int -> !torch.vtensor<[8],f32>
  %0 = torch.aten.exp %a : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %b = torch.aten.select.int %x, %int0, %int1 : !torch.vtensor<[3,8],f32>, !torch.int, !torch.int -> !torch.vtensor<[8],f32>
  %1 = torch.aten.mul.Tensor %0, %b : !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %2 = torch.aten.exp %1 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %c = torch.aten.select.int %x, %int0, %int2 : !torch.vtensor<[3,8],f32>, !torch.int, !torch.int -> !torch.vtensor<[8],f32>
  %3 = torch.aten.mul.Tensor %2, %c : !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %4 = torch.aten.exp %3 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  dycl.return %4 : (!torch.vtensor<[8],f32>) -> ()
}
