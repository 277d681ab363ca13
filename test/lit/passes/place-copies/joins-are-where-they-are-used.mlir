// RUN: dycl-opt --dycl-place-copies --dycl-check-host %s | filecheck %s

// Either side gives what a join has in the memory of the join. A side that copies does
// so for itself alone.

// CHECK:      %j = dycl.if %c : i1 -> (memref<4xf32, "cuda">) {
// CHECK:        host.launch @gpu ins(%x_cuda, %x_cuda :
// CHECK-NEXT:   dycl.yield %a : (memref<4xf32, "cuda">) -> ()
// CHECK-NEXT: } else {
// CHECK:        host.launch @cpu ins(%x : memref<4xf32>)
// CHECK:        host.launch @copy_to_cuda ins(%z : memref<4xf32>) outs(%z_cuda :
// CHECK-NEXT:   dycl.yield %z_cuda : (memref<4xf32, "cuda">) -> ()
// CHECK-NEXT: }
// CHECK:      host.launch @gpu ins(%j, %j :
// CHECK-NEXT: dycl.return %b : (memref<4xf32, "cuda">)
host.func @forward(%x : memref<4xf32>, %c : i1) params ["x", "c"] {
  %j = dycl.if %c : i1 -> (memref<4xf32>) {
    %a = host.alloc : memref<4xf32>
    host.launch @gpu ins(%x, %x : memref<4xf32>, memref<4xf32>) outs(%a : memref<4xf32>)
    dycl.yield %a : (memref<4xf32>) -> ()
  } else {
    %z = host.alloc : memref<4xf32>
    %p = host.alloc : memref<i1>
    host.launch @cpu ins(%x : memref<4xf32>) outs(%z, %p : memref<4xf32>, memref<i1>)
    dycl.yield %z : (memref<4xf32>) -> ()
  }
  %b = host.alloc : memref<4xf32>
  host.launch @gpu ins(%j, %j : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)
  dycl.return %b : (memref<4xf32>) -> ()
}
func.func @gpu(%x: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {dycl.kernel, dycl.backend = "cuda"} {
  %y = torch.aten.mul.Tensor %x, %w : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
func.func @cpu(%x: !torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[],i1>) attributes {dycl.kernel} {
  %y = torch.aten.relu %x : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  %any = torch.aten.any %y : !torch.vtensor<[4],f32> -> !torch.vtensor<[],i1>
  func.return %y, %any : !torch.vtensor<[4],f32>, !torch.vtensor<[],i1>
}
