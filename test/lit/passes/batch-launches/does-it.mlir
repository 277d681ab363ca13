// RUN: dycl-opt --dycl-batch-launches="most-rows=4" %s | filecheck %s
// RUN: dycl-opt --dycl-batch-launches="most-rows=0" %s | filecheck %s --check-prefix=OFF
// RUN: dycl-opt --dycl-batch-launches="most-rows=4" --remarks %s 2>&1 | filecheck %s --check-prefix=REMARK
// REQUIRES: torch-mlir

// A launch in a local function gets versions of its kernel for 2, 3 and 4 rows: what is
// a row's own has a dimension in front, a weight is the same for all.

// CHECK:       %y = dycl.launch @k(%a, %w) {batched = [@k_x2, @k_x3, @k_x4], rows = array<i64: 0>, tiles = array<i64: 2, 3, 4>, work = 64 : i64}
// CHECK:       %s = dycl.launch @small(%y) :
// CHECK:       func.func @k_x2(%a_rows: !torch.vtensor<[2,8],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}) -> !torch.vtensor<[2,4],f32>
// CHECK:       func.func @k_x4(%a_rows: !torch.vtensor<[4,8],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}) -> !torch.vtensor<[4,4],f32>

// OFF-NOT:     batched

// REMARK:      remark: not batched: the host reads what it gives
func.func @forward(%x: !torch.vtensor<[8],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %w = dycl.param "fc.weight" : !torch.vtensor<[4,8],f32>
  dycl.local_function "f"(%a : !torch.vtensor<[8],f32>) {
    %y = dycl.launch @k(%a, %w) : (!torch.vtensor<[8],f32>, !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[4],f32>
    %s = dycl.launch @small(%y) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[],i1>
    %p = dycl.item %s : (!torch.vtensor<[],i1>) -> !torch.bool
    dycl.if %p : !torch.bool {
      dycl.local_return %y : (!torch.vtensor<[4],f32>) -> ()
    }
    %z = dycl.local_call "f"(%a) : (!torch.vtensor<[8],f32>) -> !torch.vtensor<[4],f32>
    dycl.local_return %z : (!torch.vtensor<[4],f32>) -> ()
  }
  %r = dycl.local_call "f"(%x) : (!torch.vtensor<[8],f32>) -> !torch.vtensor<[4],f32>
  dycl.return %r : (!torch.vtensor<[4],f32>) -> ()
}
func.func @k(%a: !torch.vtensor<[8],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}) -> !torch.vtensor<[4],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %y = torch.aten.linear %a, %w, %none : !torch.vtensor<[8],f32>, !torch.vtensor<[4,8],f32>, !torch.none -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
func.func @small(%y: !torch.vtensor<[4],f32>) -> !torch.vtensor<[],i1> attributes {dycl.kernel} {
  %m = torch.aten.max %y : !torch.vtensor<[4],f32> -> !torch.vtensor<[],f32>
  %one = torch.constant.float 1.000000e+00
  %s = torch.aten.lt.Scalar %m, %one : !torch.vtensor<[],f32>, !torch.float -> !torch.vtensor<[],i1>
  func.return %s : !torch.vtensor<[],i1>
}
