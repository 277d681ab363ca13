// RUN: dycl-opt --dycl-assign-layouts --dycl-check-host %s | filecheck %s

// Groups of channels fit blocks of sixteen, or several lie in one: each channel for
// itself, fours, a whole block. A pool to several pixels works on blocks, one to a
// single pixel reads in any order.

// CHECK:      host.func
// CHECK:      %a = host.alloc : memref<1x32x8x8xf32, affine_map<
// CHECK:      %b = host.alloc : memref<1x32x8x8xf32, affine_map<
// CHECK:      %c = host.alloc : memref<1x32x8x8xf32, affine_map<
// CHECK:      %d = host.alloc : memref<1x32x1x1xf32>
// CHECK:      func.func @pools(%x: !torch.vtensor<[1,32,8,8],f32> {dycl.blocked = array<i64: 1, 16>})
host.func @forward(%x : memref<1x32x8x8xf32>) params ["x"] {
  %w1 = host.param "w1" : memref<32x1x3x3xf32>
  %w4 = host.param "w4" : memref<32x4x3x3xf32>
  %w16 = host.param "w16" : memref<32x16x3x3xf32>
  %a = host.alloc : memref<1x32x8x8xf32>
  host.launch @each ins(%x, %w1 : memref<1x32x8x8xf32>, memref<32x1x3x3xf32>) outs(%a : memref<1x32x8x8xf32>)
  %b = host.alloc : memref<1x32x8x8xf32>
  host.launch @fours ins(%a, %w4 : memref<1x32x8x8xf32>, memref<32x4x3x3xf32>) outs(%b : memref<1x32x8x8xf32>)
  %c = host.alloc : memref<1x32x8x8xf32>
  host.launch @blocks ins(%b, %w16 : memref<1x32x8x8xf32>, memref<32x16x3x3xf32>) outs(%c : memref<1x32x8x8xf32>)
  %d = host.alloc : memref<1x32x1x1xf32>
  host.launch @pools ins(%c : memref<1x32x8x8xf32>) outs(%d : memref<1x32x1x1xf32>)
  dycl.return %d : (memref<1x32x1x1xf32>) -> ()
}
func.func @each(%x: !torch.vtensor<[1,32,8,8],f32>, %w: !torch.vtensor<[32,1,3,3],f32>) -> !torch.vtensor<[1,32,8,8],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %groups = torch.constant.int 32
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %groups : !torch.vtensor<[1,32,8,8],f32>, !torch.vtensor<[32,1,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,32,8,8],f32>
  func.return %y : !torch.vtensor<[1,32,8,8],f32>
}
func.func @fours(%x: !torch.vtensor<[1,32,8,8],f32>, %w: !torch.vtensor<[32,4,3,3],f32>) -> !torch.vtensor<[1,32,8,8],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %groups = torch.constant.int 8
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %groups : !torch.vtensor<[1,32,8,8],f32>, !torch.vtensor<[32,4,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,32,8,8],f32>
  func.return %y : !torch.vtensor<[1,32,8,8],f32>
}
func.func @blocks(%x: !torch.vtensor<[1,32,8,8],f32>, %w: !torch.vtensor<[32,16,3,3],f32>) -> !torch.vtensor<[1,32,8,8],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %groups = torch.constant.int 2
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %groups : !torch.vtensor<[1,32,8,8],f32>, !torch.vtensor<[32,16,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,32,8,8],f32>
  func.return %y : !torch.vtensor<[1,32,8,8],f32>
}
func.func @pools(%x: !torch.vtensor<[1,32,8,8],f32>) -> !torch.vtensor<[1,32,1,1],f32> attributes {dycl.kernel} {
  %int1 = torch.constant.int 1
  %int4 = torch.constant.int 4
  %fours = torch.prim.ListConstruct %int4, %int4 : (!torch.int, !torch.int) -> !torch.list<int>
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.adaptive_avg_pool2d %x, %fours : !torch.vtensor<[1,32,8,8],f32>, !torch.list<int> -> !torch.vtensor<[1,32,4,4],f32>
  %z = torch.aten.adaptive_avg_pool2d %y, %ones : !torch.vtensor<[1,32,4,4],f32>, !torch.list<int> -> !torch.vtensor<[1,32,1,1],f32>
  func.return %z : !torch.vtensor<[1,32,1,1],f32>
}
