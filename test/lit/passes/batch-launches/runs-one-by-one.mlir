// RUN: dycl-opt --dycl-batch-launches="most-rows=4" %s | filecheck %s
// REQUIRES: torch-mlir

// A kernel without a product reads no weights that rows could share: it has no versions,
// and waits for what it is given.

// CHECK:       %y = dycl.launch @k(%a, %a) {batched = [@k], rows = array<i64: 0, 1>, tiles = array<i64: 1>, work = 0 : i64}
// CHECK-NOT:   func.func @k_x2
func.func @forward(%x: !torch.vtensor<[8],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  dycl.local_function "f"(%n : !torch.vtensor<[8],f32>) {
    %a = dycl.local_call "f"(%n) : (!torch.vtensor<[8],f32>) -> !torch.vtensor<[8],f32>
    %y = dycl.launch @k(%a, %a) : (!torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>) -> !torch.vtensor<[8],f32>
    dycl.local_return %y : (!torch.vtensor<[8],f32>) -> ()
  }
  %r = dycl.local_call "f"(%x) : (!torch.vtensor<[8],f32>) -> !torch.vtensor<[8],f32>
  dycl.return %r : (!torch.vtensor<[8],f32>) -> ()
}
func.func @k(%a: !torch.vtensor<[8],f32>, %b: !torch.vtensor<[8],f32>) -> !torch.vtensor<[8],f32> attributes {dycl.kernel} {
  %y = torch.aten.mul.Tensor %a, %b : !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  func.return %y : !torch.vtensor<[8],f32>
}
