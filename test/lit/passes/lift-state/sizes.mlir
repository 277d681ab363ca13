// RUN: dycl-opt -p "dycl-lift-state,dycl-lift-state,dycl-lift-state,dycl-lift-state,dycl-lift-state" %s | filecheck %s

// A row more after each call: two sizes have a body each, all others one together.

// CHECK:      func.func @forward(%x: !torch.vtensor<[1,2],f32>, %h: !torch.vtensor<[0,2],f32>, %state_kind: !torch.int, %h_1: !torch.vtensor<[1,2],f32>, %h_2: !torch.vtensor<[?,2],f32>) attributes
// CHECK-NOT:    dycl.template
// CHECK-SAME:   dycl.sizes = [#dycl.size<"self.h.size(0)", 0, "self.h" 0>]
// CHECK:        dycl.if
// CHECK:          dycl.call
// CHECK:        {test = "self.h is a float32 tensor of shape (0, 2)", dycl.variant}
// CHECK:        dycl.if
// CHECK:          dycl.call
// CHECK:        {test = "self.h is a float32 tensor of shape (1, 2)", dycl.variant}
// CHECK:        dycl.call
// CHECK:        dycl.return
// CHECK-NOT:    dycl.call
dycl.object @"" "m.Net" {h = #dycl.param<"h", [0 : i64, 2 : i64], f32>}
func.func @forward(%x: !torch.vtensor<[1,2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  %h = dycl.getattr %self "h"
  %both = dycl.list(%h, %x) : (!dycl.value, !torch.vtensor<[1,2],f32>) -> !dycl.value
  %cat = dycl.constant #dycl.global<"torch.cat">
  %next = dycl.call %cat(%both)
  dycl.setattr %self "h", %next
  dycl.return %x : (!torch.vtensor<[1,2],f32>) -> ()
}
