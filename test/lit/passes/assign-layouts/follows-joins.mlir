// RUN: dycl-opt --dycl-assign-layouts --dycl-check-host %s | filecheck %s

// What either side of a branch hands on stands as what follows wants it. A reduction
// does not mind.

// CHECK:      %a = host.alloc : [[B:memref<1x16x4x4xf32, affine_map<.*>>]]
// CHECK:      host.launch @gate ins(%a : [[B]])
// CHECK:      %j = dycl.if %c : i1 -> ([[B]]) {
// CHECK-NEXT:   %b = host.alloc : [[B]]
// CHECK:        dycl.yield %b : ([[B]]) -> ()
// CHECK-NEXT: } else {
// CHECK-NEXT:   dycl.yield %a : ([[B]]) -> ()
// CHECK:      func.func @gate(%x: !torch.vtensor<[1,16,4,4],f32> {dycl.blocked = array<i64: 1, 16>})
host.func @forward(%x : memref<1x16x4x4xf32>) params ["x"] {
  %w = host.param "w" : memref<16x16x1x1xf32>
  %a = host.alloc : memref<1x16x4x4xf32>
  host.launch @first ins(%x, %w : memref<1x16x4x4xf32>, memref<16x16x1x1xf32>) outs(%a : memref<1x16x4x4xf32>)
  %p = host.alloc : memref<i1>
  host.launch @gate ins(%a : memref<1x16x4x4xf32>) outs(%p : memref<i1>)
  %c = host.read %p : memref<i1> -> i1
  %j = dycl.if %c : i1 -> (memref<1x16x4x4xf32>) {
    %b = host.alloc : memref<1x16x4x4xf32>
    host.launch @conv ins(%a, %w : memref<1x16x4x4xf32>, memref<16x16x1x1xf32>) outs(%b : memref<1x16x4x4xf32>)
    dycl.yield %b : (memref<1x16x4x4xf32>) -> ()
  } else {
    dycl.yield %a : (memref<1x16x4x4xf32>) -> ()
  }
  %z = host.alloc : memref<1x16x4x4xf32>
  host.launch @last ins(%j, %w : memref<1x16x4x4xf32>, memref<16x16x1x1xf32>) outs(%z : memref<1x16x4x4xf32>)
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
func.func @conv(%x: !torch.vtensor<[1,16,4,4],f32>, %w: !torch.vtensor<[16,16,1,1],f32>) -> !torch.vtensor<[1,16,4,4],f32> attributes {dycl.kernel} {
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
func.func @gate(%x: !torch.vtensor<[1,16,4,4],f32>) -> !torch.vtensor<[],i1> attributes {dycl.kernel} {
  %none = torch.constant.none
  %int0 = torch.constant.int 0
  %m = torch.aten.mean %x, %none : !torch.vtensor<[1,16,4,4],f32>, !torch.none -> !torch.vtensor<[],f32>
  %p = torch.aten.gt.Scalar %m, %int0 : !torch.vtensor<[],f32>, !torch.int -> !torch.vtensor<[],i1>
  func.return %p : !torch.vtensor<[],i1>
}
