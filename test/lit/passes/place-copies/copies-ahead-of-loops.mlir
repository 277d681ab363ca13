// RUN: dycl-opt --dycl-place-copies --dycl-check-host %s | filecheck %s

// What stays as it is in a loop is copied once; what the loop carries is where most of
// its uses are, so that it is copied for nobody but the test.

// CHECK:      host.launch @copy_to_cuda ins(%x : memref<4xf32>) outs(%x_cuda :
// CHECK:      host.launch @copy_to_cuda ins(%v : memref<4xf32>) outs(%v_cuda :
// CHECK:      dycl.while carry(%a : memref<4xf32, "cuda"> = %x_cuda : memref<4xf32, "cuda">)
// CHECK:        host.launch @copy_to_cpu ins(%a : memref<4xf32, "cuda">)
// CHECK:        %f = host.alloc : memref<4xf32, "cuda">
// CHECK-NEXT:   host.launch @gpu ins(%e, %v_cuda :
// CHECK-NEXT:   %g = host.alloc : memref<4xf32, "cuda">
// CHECK-NEXT:   host.launch @gpu ins(%f, %e :
// CHECK-NEXT:   %k = host.keep %g : memref<4xf32, "cuda"> -> memref<4xf32, "cuda">
// CHECK-NEXT:   dycl.yield %k
host.func @forward(%x : memref<4xf32>, %v : memref<4xf32>) params ["x", "v"] {
  %r = dycl.while carry(%a : memref<4xf32> = %x : memref<4xf32>) {
    %z = host.alloc : memref<4xf32>
    %p = host.alloc : memref<i1>
    host.launch @cpu ins(%a : memref<4xf32>) outs(%z, %p : memref<4xf32>, memref<i1>)
    %c = host.read %p : memref<i1> -> i1
    dycl.condition %c, %a : (i1, memref<4xf32>) -> ()
  } do(%e) {
    %f = host.alloc : memref<4xf32>
    host.launch @gpu ins(%e, %v : memref<4xf32>, memref<4xf32>) outs(%f : memref<4xf32>)
    %g = host.alloc : memref<4xf32>
    host.launch @gpu ins(%f, %e : memref<4xf32>, memref<4xf32>) outs(%g : memref<4xf32>)
    %k = host.keep %g : memref<4xf32> -> memref<4xf32>
    dycl.yield %k : (memref<4xf32>) -> ()
  }
  dycl.return %r : (memref<4xf32>) -> ()
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
