// RUN: dycl-opt --dycl-outline-branches %s | filecheck %s

// Kernels and decisions are called after the modules whose parameters they use; an exit
// without any is counted. Nested branches are outlined one by one.

// CHECK-LABEL: func.func @forward
// CHECK:         %z = dycl.if %p {{.*}} {
// CHECK-NEXT:      %a = dycl.launch @forward_block_conv1_then(%x, %w1)
// CHECK-NEXT:      %c = dycl.if %p {{.*}} {
// CHECK-NEXT:        %b = dycl.launch @forward_block_conv2_then(%a, %w2)
// CHECK-NEXT:        dycl.yield %b
// CHECK-NEXT:      } else {
// CHECK-NEXT:        dycl.yield %a
// CHECK-NEXT:      } {name = "block.conv2"}
// CHECK-NEXT:      dycl.yield %c
// CHECK-NEXT:    } else {
// CHECK-NEXT:      dycl.yield %x
// CHECK-NEXT:    } {name = "block"}
// CHECK-NEXT:    dycl.if %p : !torch.bool {
// CHECK-NEXT:      %d = dycl.launch @forward_exit_1_then(%z)
// CHECK-NEXT:      dycl.return %d
// CHECK-NEXT:    } {test = "p", name = "exit 1"}
func.func @forward(%x: !torch.vtensor<[1,4],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %w1 = dycl.param "block.conv1.weight" : !torch.vtensor<[4],f32>
  %w2 = dycl.param "block.conv2.weight" : !torch.vtensor<[4],f32>
  %z = dycl.if %p : !torch.bool -> (!torch.vtensor<[1,4],f32>) {
    %a = torch.aten.mul.Tensor %x, %w1 : !torch.vtensor<[1,4],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[1,4],f32>
    %c = dycl.if %p : !torch.bool -> (!torch.vtensor<[1,4],f32>) {
      %b = torch.aten.mul.Tensor %a, %w2 : !torch.vtensor<[1,4],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[1,4],f32>
      dycl.yield %b : (!torch.vtensor<[1,4],f32>) -> ()
    } else {
      dycl.yield %a : (!torch.vtensor<[1,4],f32>) -> ()
    }
    dycl.yield %c : (!torch.vtensor<[1,4],f32>) -> ()
  } else {
    dycl.yield %x : (!torch.vtensor<[1,4],f32>) -> ()
  }
  dycl.if %p : !torch.bool {
    %d = torch.aten.relu %z : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
    dycl.return %d : (!torch.vtensor<[1,4],f32>) -> ()
  } {test = "p"}
  dycl.return %z : (!torch.vtensor<[1,4],f32>) -> ()
}
