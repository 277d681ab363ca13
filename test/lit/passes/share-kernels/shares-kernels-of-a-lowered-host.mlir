// RUN: dycl-opt --dycl-share-kernels %s | filecheck %s

// Launches of the host level follow; a kernel that stands in memory otherwise is
// another kernel.

// CHECK-LABEL: host.func @forward
// CHECK:         host.launch @k ins(%x
// CHECK:         host.launch @k ins(%a
// CHECK:         host.launch @blocked ins(%b
// CHECK:       func.func @k(
// CHECK-NOT:   func.func @k_1(
// CHECK:       func.func @blocked(
host.func @forward(%x: memref<1x16xf32>) params ["x"] {
  %a = host.alloc : memref<1x16xf32>
  host.launch @k ins(%x : memref<1x16xf32>) outs(%a : memref<1x16xf32>)
  %b = host.alloc : memref<1x16xf32>
  host.launch @k_1 ins(%a : memref<1x16xf32>) outs(%b : memref<1x16xf32>)
  %c = host.alloc : memref<1x16xf32>
  host.launch @blocked ins(%b : memref<1x16xf32>) outs(%c : memref<1x16xf32>)
  dycl.return %c : (memref<1x16xf32>) -> ()
}
func.func @k(%x: !torch.vtensor<[1,16],f32>) -> !torch.vtensor<[1,16],f32> attributes {dycl.kernel} {
  %y = torch.aten.relu %x : !torch.vtensor<[1,16],f32> -> !torch.vtensor<[1,16],f32>
  func.return %y : !torch.vtensor<[1,16],f32>
}
func.func @k_1(%x: !torch.vtensor<[1,16],f32>) -> !torch.vtensor<[1,16],f32> attributes {dycl.kernel} {
  %y = torch.aten.relu %x : !torch.vtensor<[1,16],f32> -> !torch.vtensor<[1,16],f32>
  func.return %y : !torch.vtensor<[1,16],f32>
}
func.func @blocked(%x: !torch.vtensor<[1,16],f32> {dycl.blocked = array<i64: 1, 16>}) -> !torch.vtensor<[1,16],f32> attributes {dycl.kernel} {
  %y = torch.aten.relu %x : !torch.vtensor<[1,16],f32> -> !torch.vtensor<[1,16],f32>
  func.return %y : !torch.vtensor<[1,16],f32>
}
