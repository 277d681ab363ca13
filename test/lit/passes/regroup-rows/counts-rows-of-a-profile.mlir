// RUN: dycl-opt --dycl-regroup-rows --split-input-file %s | filecheck %s

// The convolution loses in a group, and the product gains more: they are computed
// together, unless a profile says that no row came to the product.

// CHECK:     func.func @by_halves(%x: !torch.vtensor<[?,2,8,8],f32>
func.func @by_halves(%x: !torch.vtensor<[1,2,8,8],f32>, %v: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x", "v"], dycl.rows = ["x", "v"]} {
  %none = torch.constant.none
  %one = torch.constant.int 1
  %ones = torch.prim.ListConstruct %one, %one : (!torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.max %v : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %float = torch.constant.float 0.000000e+00
  %1 = torch.aten.gt.Scalar %0, %float : !torch.vtensor<[],f32>, !torch.float -> !torch.vtensor<[],i1>
  %2 = dycl.item %1 : (!torch.vtensor<[],i1>) -> !torch.bool
  dycl.if %2 : !torch.bool {
    %w = dycl.param "w" : !torch.vtensor<[2,2,3,3],f32>
    %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %one : !torch.vtensor<[1,2,8,8],f32>, !torch.vtensor<[2,2,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,2,8,8],f32>
    dycl.return %y : (!torch.vtensor<[1,2,8,8],f32>) -> ()
  } {test = "v > 0"} loc("net.py":12:5)
  %m = dycl.param "m" : !torch.vtensor<[4,64],f32>
  %z = torch.aten.mm %v, %m : !torch.vtensor<[1,4],f32>, !torch.vtensor<[4,64],f32> -> !torch.vtensor<[1,64],f32>
  dycl.return %z : (!torch.vtensor<[1,64],f32>) -> ()
}

// -----

// CHECK:     func.func @some_go_on(%x: !torch.vtensor<[?,2,8,8],f32>
// CHECK-NOT: dycl.row_counts
func.func @some_go_on(%x: !torch.vtensor<[1,2,8,8],f32>, %v: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x", "v"], dycl.rows = ["x", "v"], dycl.row_counts = {rows = 10 : i64, decisions = [["exit 1", "net.py", 12, 6, 4]]}} {
  %none = torch.constant.none
  %one = torch.constant.int 1
  %ones = torch.prim.ListConstruct %one, %one : (!torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.max %v : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %float = torch.constant.float 0.000000e+00
  %1 = torch.aten.gt.Scalar %0, %float : !torch.vtensor<[],f32>, !torch.float -> !torch.vtensor<[],i1>
  %2 = dycl.item %1 : (!torch.vtensor<[],i1>) -> !torch.bool
  dycl.if %2 : !torch.bool {
    %w = dycl.param "w" : !torch.vtensor<[2,2,3,3],f32>
    %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %one : !torch.vtensor<[1,2,8,8],f32>, !torch.vtensor<[2,2,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,2,8,8],f32>
    dycl.return %y : (!torch.vtensor<[1,2,8,8],f32>) -> ()
  } {test = "v > 0"} loc("net.py":12:5)
  %m = dycl.param "m" : !torch.vtensor<[4,64],f32>
  %z = torch.aten.mm %v, %m : !torch.vtensor<[1,4],f32>, !torch.vtensor<[4,64],f32> -> !torch.vtensor<[1,64],f32>
  dycl.return %z : (!torch.vtensor<[1,64],f32>) -> ()
}

// -----

// CHECK:     func.func @all_leave(%x: !torch.vtensor<[1,2,8,8],f32>
// CHECK-NOT: dycl.row_counts
func.func @all_leave(%x: !torch.vtensor<[1,2,8,8],f32>, %v: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x", "v"], dycl.rows = ["x", "v"], dycl.row_counts = {rows = 10 : i64, decisions = [["exit 1", "net.py", 12, 10, 0]]}} {
  %none = torch.constant.none
  %one = torch.constant.int 1
  %ones = torch.prim.ListConstruct %one, %one : (!torch.int, !torch.int) -> !torch.list<int>
  %0 = torch.aten.max %v : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %float = torch.constant.float 0.000000e+00
  %1 = torch.aten.gt.Scalar %0, %float : !torch.vtensor<[],f32>, !torch.float -> !torch.vtensor<[],i1>
  %2 = dycl.item %1 : (!torch.vtensor<[],i1>) -> !torch.bool
  dycl.if %2 : !torch.bool {
    %w = dycl.param "w" : !torch.vtensor<[2,2,3,3],f32>
    %y = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %one : !torch.vtensor<[1,2,8,8],f32>, !torch.vtensor<[2,2,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,2,8,8],f32>
    dycl.return %y : (!torch.vtensor<[1,2,8,8],f32>) -> ()
  } {test = "v > 0"} loc("net.py":12:5)
  %m = dycl.param "m" : !torch.vtensor<[4,64],f32>
  %z = torch.aten.mm %v, %m : !torch.vtensor<[1,4],f32>, !torch.vtensor<[4,64],f32> -> !torch.vtensor<[1,64],f32>
  dycl.return %z : (!torch.vtensor<[1,64],f32>) -> ()
}
