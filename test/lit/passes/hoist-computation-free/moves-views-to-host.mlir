// RUN: dycl-opt --dycl-hoist-computation-free %s | filecheck %s

// A reshape whose operand or result meets the host is a `dycl.view`; between two
// computations it stays.

// CHECK-LABEL: func.func @forward
// CHECK:         %a = dycl.view %x : (!torch.vtensor<[1,4],f32>) -> !torch.vtensor<[4],f32>
// CHECK:         %y = torch.aten.relu %a
// CHECK-NEXT:    %b = torch.aten.unsqueeze %y
// CHECK-NEXT:    %z = torch.aten.exp %b
// CHECK-NEXT:    %c = dycl.view %z : (!torch.vtensor<[1,4],f32>) -> !torch.vtensor<[4],f32>
// CHECK-NEXT:    dycl.return %c
func.func @forward(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry} {
  %int0 = torch.constant.int 0
  %a = torch.aten.squeeze.dim %x, %int0 : !torch.vtensor<[1,4],f32>, !torch.int -> !torch.vtensor<[4],f32>
  %y = torch.aten.relu %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  %b = torch.aten.unsqueeze %y, %int0 : !torch.vtensor<[4],f32>, !torch.int -> !torch.vtensor<[1,4],f32>
  %z = torch.aten.exp %b : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  %c = torch.aten.squeeze.dim %z, %int0 : !torch.vtensor<[1,4],f32>, !torch.int -> !torch.vtensor<[4],f32>
  dycl.return %c : (!torch.vtensor<[4],f32>) -> ()
}
