// RUN: dycl-opt --dycl-assign-layouts --dycl-check-host %s | filecheck %s

// Between the convolutions: blocks. What comes in and what goes out: rows, so the
// kernel that all three launches share could not say how its image stands; three
// launches of one kernel agree only if all of them can.

// CHECK:      %a = host.alloc : memref<1x16x4x4xf32, affine_map<(d0, d1, d2, d3) -> (d0, (d1 floordiv 16), d2, d3, (d1 mod 16))>>
// CHECK:      %z = host.alloc : memref<1x16x4x4xf32>
// CHECK:      func.func @first(%x: !torch.vtensor<[1,16,4,4],f32>, %w: {{.*}}) -> (!torch.vtensor<[1,16,4,4],f32> {dycl.blocked = array<i64: 1, 16>})
// CHECK:      func.func @last(%x: !torch.vtensor<[1,16,4,4],f32> {dycl.blocked = array<i64: 1, 16>}, %w: {{.*}}) -> !torch.vtensor<[1,16,4,4],f32> attributes
host.func @forward(%x : memref<1x16x4x4xf32>) params ["x"] {
  %w = host.param "w" : memref<16x16x1x1xf32>
  %a = host.alloc : memref<1x16x4x4xf32>
  host.launch @first ins(%x, %w : memref<1x16x4x4xf32>, memref<16x16x1x1xf32>) outs(%a : memref<1x16x4x4xf32>)
  %z = host.alloc : memref<1x16x4x4xf32>
  host.launch @last ins(%a, %w : memref<1x16x4x4xf32>, memref<16x16x1x1xf32>) outs(%z : memref<1x16x4x4xf32>)
  dycl.return %z : (memref<1x16x4x4xf32>) -> ()
}
func.func @first(%x: !torch.vtensor<[1,16,4,4],f32>, %w: !torch.vtensor<[16,16,1,1],f32>) -> !torch.vtensor<[1,16,4,4],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %zeros = torch.prim.ListConstruct %int0, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %zeros, %ones, %int1 : !torch.vtensor<[1,16,4,4],f32>, !torch.vtensor<[16,16,1,1],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,16,4,4],f32>
  func.return %y : !torch.vtensor<[1,16,4,4],f32>
}
func.func @last(%x: !torch.vtensor<[1,16,4,4],f32>, %w: !torch.vtensor<[16,16,1,1],f32>) -> !torch.vtensor<[1,16,4,4],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %zeros = torch.prim.ListConstruct %int0, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %zeros, %ones, %int1 : !torch.vtensor<[1,16,4,4],f32>, !torch.vtensor<[16,16,1,1],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,16,4,4],f32>
  func.return %y : !torch.vtensor<[1,16,4,4],f32>
}
