// RUN: dycl-opt --dycl-regroup-rows --dycl-eliminate-dead-code %s | filecheck %s

// Rows that go on have a batch of their own, of which a product would be another one. It
// is computed before they part, and its rows are taken where they are used.

// CHECK:      %y = torch.aten.matmul %x, %w
// CHECK:      dycl.if
// CHECK-NOT:  torch.aten.matmul
func.func @forward(%x: !torch.vtensor<[1,4],f32>, %w: !torch.vtensor<[4,4],f32>) attributes {dycl.entry, dycl.params = ["x", "w"], dycl.rows = ["x"]} {
  %zero = torch.constant.float 0.000000e+00
  %y = torch.aten.mm %x, %w : !torch.vtensor<[1,4],f32>, !torch.vtensor<[4,4],f32> -> !torch.vtensor<[1,4],f32>
  %m = torch.aten.max %y : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %p = torch.aten.gt.Scalar %m, %zero : !torch.vtensor<[],f32>, !torch.float -> !torch.vtensor<[],i1>
  %c = dycl.item %p : (!torch.vtensor<[],i1>) -> !torch.bool
  dycl.if %c : !torch.bool {
    dycl.return %x : (!torch.vtensor<[1,4],f32>) -> ()
  } {test = "(x @ w).max() > 0", name = "exit"}
  %z = torch.aten.mm %x, %w : !torch.vtensor<[1,4],f32>, !torch.vtensor<[4,4],f32> -> !torch.vtensor<[1,4],f32>
  dycl.return %z : (!torch.vtensor<[1,4],f32>) -> ()
}
