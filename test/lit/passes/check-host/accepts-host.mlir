// RUN: dycl-opt --dycl-check-host %s | filecheck %s

// One host function whose launches fit: nothing is said, nothing is changed.

// CHECK-LABEL: host.func @forward
// CHECK:         host.launch @k
host.func @forward(%x: memref<2xf32>) params ["x"] {
  %y = host.alloc : memref<2xf32>
  %s = host.alloc : memref<f64>
  host.launch @k ins(%x : memref<2xf32>) outs(%y, %s : memref<2xf32>, memref<f64>)
  dycl.return %y : (memref<2xf32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.float) attributes {dycl.kernel} {
  %y, %s = "test.op"(%x) : (!torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.float)
  func.return %y, %s : !torch.vtensor<[2],f32>, !torch.float
}
