// RUN: dycl-opt --dycl-assign-layouts --verify-diagnostics %s | filecheck %s

// A launch of a kernel that is missing, or takes another number of tensors, is left to
// dycl-check-host.

// CHECK-LABEL: host.func @forward
// CHECK:         host.launch @gone ins(%x : memref<1x32x8x8xf32>)
// CHECK:         host.launch @k ins(%x, %x : memref<1x32x8x8xf32>, memref<1x32x8x8xf32>)
host.func @forward(%x: memref<1x32x8x8xf32>) params ["x"] {
  // expected-remark@below {{kept in rows: @gone is not a kernel that fits}}
  host.launch @gone ins(%x : memref<1x32x8x8xf32>) outs()
  // expected-remark@below {{kept in rows: @k is not a kernel that fits}}
  host.launch @k ins(%x, %x : memref<1x32x8x8xf32>, memref<1x32x8x8xf32>) outs()
  dycl.return
}
func.func @k(%x: !torch.vtensor<[1,32,8,8],f32>) attributes {dycl.kernel} {
  func.return
}
