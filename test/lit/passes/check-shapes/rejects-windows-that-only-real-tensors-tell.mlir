// REQUIRES: torch
// RUN: dycl-opt --dycl-check-shapes --split-input-file --verify-diagnostics %s

// torch asks these numbers of real tensors only; torch-mlir computes with them, or dies.

func.func @k(%x: !torch.vtensor<[1,4,8,8],f32>, %w: !torch.vtensor<[4,4,3,3],f32>) -> !torch.vtensor<[1,4,8,8],f32> attributes {dycl.kernel} {
  %0 = torch.constant.int 0
  %1 = torch.constant.int 1
  %none = torch.constant.none
  %false = torch.constant.bool false
  %zeros = torch.prim.ListConstruct %0, %0 : (!torch.int, !torch.int) -> !torch.list<int>
  %ones = torch.prim.ListConstruct %1, %1 : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error@+1 {{torch.aten.convolution does not take this: dilation [0, 0] is not above zero}}
  %y = torch.aten.convolution %x, %w, %none, %ones, %zeros, %zeros, %false, %zeros, %1 : !torch.vtensor<[1,4,8,8],f32>, !torch.vtensor<[4,4,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> !torch.vtensor<[1,4,8,8],f32>
  func.return %y : !torch.vtensor<[1,4,8,8],f32>
}

// -----

func.func @k(%x: !torch.vtensor<[1,4,8,8],f32>, %w: !torch.vtensor<[4,4,3,3],f32>) -> !torch.vtensor<[1,4,15,15],f32> attributes {dycl.kernel} {
  %0 = torch.constant.int 0
  %1 = torch.constant.int 1
  %5 = torch.constant.int 5
  %none = torch.constant.none
  %true = torch.constant.bool true
  %zeros = torch.prim.ListConstruct %0, %0 : (!torch.int, !torch.int) -> !torch.list<int>
  %ones = torch.prim.ListConstruct %1, %1 : (!torch.int, !torch.int) -> !torch.list<int>
  %fives = torch.prim.ListConstruct %5, %5 : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error@+1 {{output padding [5, 5] is not below stride [1, 1] or dilation [1, 1]}}
  %y = torch.aten.convolution %x, %w, %none, %ones, %zeros, %ones, %true, %fives, %1 : !torch.vtensor<[1,4,8,8],f32>, !torch.vtensor<[4,4,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> !torch.vtensor<[1,4,15,15],f32>
  func.return %y : !torch.vtensor<[1,4,15,15],f32>
}

// -----

func.func @k(%x: !torch.vtensor<[1,4,6,6],f32>) -> !torch.vtensor<[1,4,0,0],f32> attributes {dycl.kernel} {
  %0 = torch.constant.int 0
  %zeros = torch.prim.ListConstruct %0, %0 : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error@+1 {{torch.aten.adaptive_avg_pool2d does not take this: an output size of 0}}
  %y = torch.aten.adaptive_avg_pool2d %x, %zeros : !torch.vtensor<[1,4,6,6],f32>, !torch.list<int> -> !torch.vtensor<[1,4,0,0],f32>
  func.return %y : !torch.vtensor<[1,4,0,0],f32>
}

// -----

// One number stands for all dimensions.
func.func @k(%x: !torch.vtensor<[1,4,8,8],f32>, %w: !torch.vtensor<[4,4,3,3],f32>) -> !torch.vtensor<[1,4,18,18],f32> attributes {dycl.kernel} {
  %0 = torch.constant.int 0
  %1 = torch.constant.int 1
  %2 = torch.constant.int 2
  %none = torch.constant.none
  %true = torch.constant.bool true
  %zero = torch.prim.ListConstruct %0 : (!torch.int) -> !torch.list<int>
  %one = torch.prim.ListConstruct %1 : (!torch.int) -> !torch.list<int>
  %two = torch.prim.ListConstruct %2 : (!torch.int) -> !torch.list<int>
  %y = torch.aten.convolution %x, %w, %none, %two, %zero, %one, %true, %one, %1 : !torch.vtensor<[1,4,8,8],f32>, !torch.vtensor<[4,4,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> !torch.vtensor<[1,4,18,18],f32>
  func.return %y : !torch.vtensor<[1,4,18,18],f32>
}
