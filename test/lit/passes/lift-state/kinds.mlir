// RUN: dycl-opt -p "dycl-lift-state,dycl-lift-state,dycl-lift-state" %s | filecheck %s

// None at first, a tensor later: the body is there once for each, and no third time.

// CHECK:      func.func @forward(%x: !torch.vtensor<[2],f32>, %state_kind: !torch.int, %h: !torch.vtensor<[2],f32>) attributes
// CHECK-NOT:    dycl.template
// CHECK-SAME:   "kind", 1 : i64
// CHECK-SAME:   #dycl.tuple<["h", "keep", #dycl.tuple<[#dycl.none]>, #dycl.tuple<[#dycl.none, #dycl.leaf<2>]>]>
// CHECK:        %[[FIRST:.*]] = dycl.compare eq %state_kind
// CHECK:        dycl.if %[[FIRST]]
// CHECK:          dycl.compare is %h_2
// CHECK:          dycl.return
// CHECK:        {test = "self.h is None", dycl.variant}
// CHECK:        dycl.compare is %h, %
// CHECK:        dycl.return
dycl.object @"" "m.Net" {h = #dycl.none}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  %none = dycl.constant #dycl.none
  %h = dycl.getattr %self "h"
  %p = dycl.compare is %h, %none
  dycl.setattr %self "h", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}
