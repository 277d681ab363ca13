// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// No path gets behind an `if` both of whose branches leave.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.if %p : !torch.bool {
// CHECK-NEXT:      dycl.return %x
// CHECK-NEXT:    } else {
// CHECK-NEXT:      dycl.return %p
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.unreachable
// CHECK-NEXT:  }
func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes {dycl.entry} {
  dycl.if %p : !torch.bool {
    dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
  } else {
    dycl.return %p : (!torch.bool) -> ()
  }
  %y = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
