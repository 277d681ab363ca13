// RUN: dycl-opt --dycl-lower-host %s | filecheck %s

// A launch gets one buffer for each result, named after it; the kernel stays as it was.

// CHECK-LABEL: host.func @forward(%x: memref<1x3xf32>) params ["x"]
// CHECK-NEXT:    %w = host.param "fc.weight" : memref<3x3xf32>
// CHECK-NEXT:    %y = host.alloc : memref<1x3xf32>
// CHECK-NEXT:    %p = host.alloc : memref<1xi1>
// CHECK-NEXT:    host.launch @k ins(%x, %w : memref<1x3xf32>, memref<3x3xf32>) outs(%y, %p : memref<1x3xf32>, memref<1xi1>)
// CHECK-NEXT:    dycl.return %y {structure = #dycl.leaf<0>} : (memref<1x3xf32>) -> ()
func.func @forward(%x: !torch.vtensor<[1,3],f32>) attributes {dycl.entry} {
  %w = dycl.param "fc.weight" : !torch.vtensor<[3,3],f32>
  %y, %p = dycl.launch @k(%x, %w) : (!torch.vtensor<[1,3],f32>, !torch.vtensor<[3,3],f32>) -> (!torch.vtensor<[1,3],f32>, !torch.vtensor<[1],i1>)
  dycl.return %y {structure = #dycl.leaf<0>} : (!torch.vtensor<[1,3],f32>) -> ()
}

// CHECK-LABEL: func.func @k(
// CHECK-NEXT:    "test.op"
func.func @k(%x: !torch.vtensor<[1,3],f32>, %w: !torch.vtensor<[3,3],f32>) -> (!torch.vtensor<[1,3],f32>, !torch.vtensor<[1],i1>) attributes {dycl.kernel} {
  %y, %p = "test.op"(%x, %w) : (!torch.vtensor<[1,3],f32>, !torch.vtensor<[3,3],f32>) -> (!torch.vtensor<[1,3],f32>, !torch.vtensor<[1],i1>)
  func.return %y, %p : !torch.vtensor<[1,3],f32>, !torch.vtensor<[1],i1>
}
