// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s
// RUN: dycl-opt --dycl-eliminate-dead-code --dycl-eliminate-dead-code %s | filecheck %s

// Unused results of an `if` go, then what was yielded for them, then empty `if`s.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %b = dycl.if %p : !torch.bool -> (!torch.vtensor<[2],f32>) {
// CHECK-NEXT:      dycl.yield %x
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %z = torch.aten.relu %x
// CHECK-NEXT:      dycl.yield %z
// CHECK-NEXT:    } {name = "kept"}
// CHECK-NEXT:    dycl.return %b
func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %a, %b = dycl.if %p : !torch.bool -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) {
    %y = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
    dycl.yield %y, %x : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> ()
  } else {
    %z = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
    dycl.yield %x, %z : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> ()
  } {name = "kept"}
  dycl.if %p : !torch.bool {
    dycl.if %p : !torch.bool {
      %u = torch.aten.relu %a : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
    }
  }
  dycl.return %b : (!torch.vtensor<[2],f32>) -> ()
}
