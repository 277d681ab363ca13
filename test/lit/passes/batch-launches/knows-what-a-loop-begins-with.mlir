// RUN: dycl-opt --dycl-batch-launches="most-rows=2" %s | filecheck %s
// REQUIRES: torch-mlir

// Where the loop is not entered, the second product is of zeros: there is a version in
// which it is that of no row. It keeps its argument, unused. Literals with many numbers
// are no part of a kernel.

// CHECK:       dycl.launch @k(%x, %s, %w) {batched = [@k_x2], rows = array<i64: 0, 1>, tiles = array<i64: 2>, work = 128 : i64,
// CHECK-SAME:    on_literals = {batched = [@k_x2_1], rows = array<i64: 0>, tiles = array<i64: 2>, work = 64 : i64}}
// CHECK:       dycl.launch @k(%x, %t, %w) {batched = [@k_x2], rows = array<i64: 0, 1>, tiles = array<i64: 2>, work = 128 : i64} :
// CHECK:       func.func @k_x2_1(%a_rows: !torch.vtensor<[2,4],f32>, %b: !torch.vtensor<[4],f32>, %w
// CHECK:         %[[ZEROS:.*]] = torch.vtensor.literal(dense<0.000000e+00> : tensor<4xf32>)
// CHECK:         torch.aten.unsqueeze %[[ZEROS]]
// CHECK:       func.func @k_x2(%a_rows: !torch.vtensor<[2,4],f32>, %b_rows: !torch.vtensor<[2,4],f32>
func.func @forward(%x: !torch.vtensor<[4],f32>, %p: !torch.bool) attributes {dycl.entry, dycl.params = ["x", "p"]} {
  %w = dycl.param "fc.weight" : !torch.vtensor<[8,4],f32>
  %zeros = torch.vtensor.literal(dense<0.0> : tensor<4xf32>) : !torch.vtensor<[4],f32>
  dycl.local_function "f"(%n : !torch.vtensor<[4],f32>) {
    %s = dycl.while carry(%c : !torch.vtensor<[4],f32> = %zeros : !torch.vtensor<[4],f32>) {
      dycl.condition %p, %c : (!torch.bool, !torch.vtensor<[4],f32>) -> ()
    } do(%d) {
      %e = dycl.local_call "f"(%d) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
      dycl.yield %e : (!torch.vtensor<[4],f32>) -> ()
    } {test = "p", name = "loop 1"}
    %y = dycl.launch @k(%x, %s, %w) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[8,4],f32>) -> !torch.vtensor<[8],f32>
    %t = dycl.local_call "f"(%s) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
    %z = dycl.launch @k(%x, %t, %w) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[8,4],f32>) -> !torch.vtensor<[8],f32>
    dycl.local_return %t : (!torch.vtensor<[4],f32>) -> ()
  }
  %r = dycl.local_call "f"(%x) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  dycl.return %r : (!torch.vtensor<[4],f32>) -> ()
}
func.func @k(%a: !torch.vtensor<[4],f32>, %b: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[8,4],f32> {dycl.weight}) -> !torch.vtensor<[8],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %one = torch.constant.int 1
  %u = torch.aten.linear %a, %w, %none : !torch.vtensor<[4],f32>, !torch.vtensor<[8,4],f32>, !torch.none -> !torch.vtensor<[8],f32>
  %v = torch.aten.linear %b, %w, %none : !torch.vtensor<[4],f32>, !torch.vtensor<[8,4],f32>, !torch.none -> !torch.vtensor<[8],f32>
  %y = torch.aten.add.Tensor %u, %v, %one : !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>, !torch.int -> !torch.vtensor<[8],f32>
  func.return %y : !torch.vtensor<[8],f32>
}
