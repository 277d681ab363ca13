// RUN: dycl-opt --dycl-regroup-rows --dycl-eliminate-dead-code %s | filecheck %s

// Without a decision, all rows are computed together, and come back in order. What has
// no rows stays what it is.

// CHECK:      func.func @forward(%x: !torch.vtensor<[?,4],f32>, %b: !torch.vtensor<[4],f32>)
// CHECK-SAME:   dycl.sizes = [#dycl.size<"rows", 0, "x" 0>]
// CHECK-SAME:   dycl.row_results = {decisions = [], ways = [{structure = #dycl.leaf<0>, types = [!torch.vtensor<[1,4],f32>]}], form = "in order", row_bytes = 16 : i64, few = 32 : i64, shared = 4096 : i64}
// CHECK-NEXT:   %int1 = torch.constant.int 1
// CHECK-NEXT:   %y = torch.aten.add.Tensor %x, %b, %int1 : !torch.vtensor<[?,4],f32>, !torch.vtensor<[4],f32>, !torch.int -> !torch.vtensor<[?,4],f32>
// CHECK-NEXT:   dycl.return %y {structure = #dycl.tuple<[#dycl.leaf<0>]>} : (!torch.vtensor<[?,4],f32>) -> ()
func.func @forward(%x: !torch.vtensor<[1,4],f32>, %b: !torch.vtensor<[4],f32>) attributes {dycl.entry, dycl.params = ["x", "b"], dycl.rows = ["x"]} {
  %int1 = torch.constant.int 1
  %y = torch.aten.add.Tensor %x, %b, %int1 : !torch.vtensor<[1,4],f32>, !torch.vtensor<[4],f32>, !torch.int -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}
