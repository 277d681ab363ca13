// A block of a network comes back as it was, in torch-mlir's own syntax.
// RUN: dycl-opt %s | dycl-opt | filecheck %s

// CHECK-LABEL: func.func @block
func.func @block(%x: !torch.vtensor<[1,3,?,?],f32>, %w: !torch.vtensor<[8,3,3,3],f32>) -> !torch.vtensor<[1,8,?,?],f32> {
  // CHECK: [[ONE:%.*]] = torch.constant.int 1
  %int1 = torch.constant.int 1
  // CHECK-NEXT: [[NONE:%.*]] = torch.constant.none
  %none = torch.constant.none
  // CHECK-NEXT: [[ONES:%.*]] = torch.prim.ListConstruct [[ONE]], [[ONE]] : (!torch.int, !torch.int) -> !torch.list<int>
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  // CHECK-NEXT: [[Y:%.*]] = torch.aten.conv2d %{{.*}}, %{{.*}}, [[NONE]], [[ONES]], [[ONES]], [[ONES]], [[ONE]] : !torch.vtensor<[1,3,?,?],f32>, !torch.vtensor<[8,3,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,8,?,?],f32>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %int1 : !torch.vtensor<[1,3,?,?],f32>, !torch.vtensor<[8,3,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,8,?,?],f32>
  // CHECK-NEXT: torch.aten.relu [[Y]] : !torch.vtensor<[1,8,?,?],f32> -> !torch.vtensor<[1,8,?,?],f32>
  %r = torch.aten.relu %y : !torch.vtensor<[1,8,?,?],f32> -> !torch.vtensor<[1,8,?,?],f32>
  return %r : !torch.vtensor<[1,8,?,?],f32>
}
