// RUN: dycl-opt --dycl-embed-literals="max-elements=1 max-matrix=4" --verify-diagnostics %s | filecheck %s

// The matrix that a product begins with may be larger: its rows may share their sums.

// CHECK: dycl.launch @k(%x)
func.func @forward(%x: !torch.vtensor<[2,3],f32>) attributes {dycl.entry} {
  %a = torch.vtensor.literal(dense<[[1.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf32>) : !torch.vtensor<[2,2],f32>
  %y = dycl.launch @k(%x, %a) : (!torch.vtensor<[2,3],f32>, !torch.vtensor<[2,2],f32>) -> !torch.vtensor<[2,3],f32>
  dycl.return %y : (!torch.vtensor<[2,3],f32>) -> ()
}
func.func @k(%p: !torch.vtensor<[2,3],f32>, %r: !torch.vtensor<[2,2],f32>) -> !torch.vtensor<[2,3],f32> attributes {dycl.kernel} {
  %s = torch.aten.matmul %r, %p : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,3],f32> -> !torch.vtensor<[2,3],f32>
  func.return %s : !torch.vtensor<[2,3],f32>
}
