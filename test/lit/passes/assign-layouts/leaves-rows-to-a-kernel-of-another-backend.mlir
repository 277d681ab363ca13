// RUN: dycl-opt --dycl-assign-layouts --dycl-check-host %s | filecheck %s

// One of the two kernels names a backend that takes and gives rows.

// CHECK:     func.func @first
// CHECK-NOT: dycl.blocked
host.func @forward(%x : memref<1x16x4x4xf32>) params ["x"] {
  %w = host.param "w" : memref<16x16x1x1xf32>
  %a = host.alloc : memref<1x16x4x4xf32>
  host.launch @first ins(%x, %w : memref<1x16x4x4xf32>, memref<16x16x1x1xf32>) outs(%a : memref<1x16x4x4xf32>)
  %z = host.alloc : memref<1x16x4x4xf32>
  host.launch @last ins(%a, %w : memref<1x16x4x4xf32>, memref<16x16x1x1xf32>) outs(%z : memref<1x16x4x4xf32>)
  dycl.return %z : (memref<1x16x4x4xf32>) -> ()
}
func.func @first(%x: !torch.vtensor<[1,16,4,4],f32>, %w: !torch.vtensor<[16,16,1,1],f32>) -> !torch.vtensor<[1,16,4,4],f32> attributes {dycl.kernel, dycl.backend = "toy"} {
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
