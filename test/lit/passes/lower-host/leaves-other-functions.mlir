// RUN: dycl-opt --dycl-lower-host %s | filecheck %s

// Without an entry function, and a second time, there is nothing to do.

// CHECK-LABEL: func.func @helper
// CHECK-NEXT:    dycl.return
func.func @helper(%x: !torch.vtensor<[2],f32>) {
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}
// CHECK-LABEL: host.func @forward
// CHECK-NEXT:    dycl.return
host.func @forward(%x: memref<2xf32>) params ["x"] {
  dycl.return %x : (memref<2xf32>) -> ()
}
