// RUN: dycl-opt --dycl-regroup-rows %s | filecheck %s

// A network that was not compiled with rows stays as it is.

// CHECK:      func.func @forward(%x: !torch.vtensor<[1,4],f32>)
// CHECK-NEXT:   %y = torch.aten.relu %x
// CHECK-NEXT:   dycl.return %y
func.func @forward(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %y = torch.aten.relu %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}
