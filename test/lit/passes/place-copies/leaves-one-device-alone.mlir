// RUN: dycl-opt --dycl-place-copies --dycl-check-host %s | filecheck %s
// RUN: dycl-opt --dycl-place-copies="backend=cuda" --dycl-check-host %s | filecheck %s

// All kernels are for one device, whichever that is: nobody reads from elsewhere.

// CHECK-NOT: copy_to
// CHECK:     func.func @k(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {dycl.kernel}
// CHECK-NOT: copy_to
host.func @forward(%x : memref<4xf32>) params ["x"] {
  %y = host.alloc : memref<4xf32>
  host.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  dycl.return %y : (memref<4xf32>) -> ()
}
func.func @k(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {dycl.kernel} {
  %y = torch.aten.relu %x : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
