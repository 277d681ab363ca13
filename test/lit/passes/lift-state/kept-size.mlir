// RUN: dycl-opt -p "dycl-infer-shapes,dycl-lift-state,dycl-infer-shapes,dycl-lift-state,dycl-infer-shapes,dycl-lift-state" %s | filecheck %s

// A `torch.Size` of which a run decides a size: its ints are arguments, of which each
// call makes a size.

// CHECK:      func.func @forward(%x: !torch.vtensor<[?,3],f32>, %state_kind: !torch.int, %h: !torch.int, %h_1: !torch.int)
// CHECK-SAME: #dycl.record<"torch.Size", "call", ["sizes"], [#dycl.tuple<[#dycl.leaf<2>, #dycl.leaf<3>]>]>
// CHECK:      {test = "self.h is None", dycl.variant}
// CHECK:      [[T:%.*]] = dycl.tuple(%h, %h_1)
// CHECK-NEXT: [[C:%.*]] = dycl.constant #dycl.global<"torch.Size">
// CHECK-NEXT: [[S:%.*]] = dycl.call [[C]]([[T]])
dycl.object @"" "m.Net" {h = #dycl.none}
func.func @forward(%x: !torch.vtensor<[?,3],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.sizes = [#dycl.size<"n", 0, "x" 0>]} {
  %self = dycl.constant @""
  %h = dycl.getattr %self "h"
  %new = dycl.getattr %x "shape" : (!torch.vtensor<[?,3],f32>) -> !dycl.value
  dycl.setattr %self "h", %new
  dycl.return %h : (!dycl.value) -> ()
}
