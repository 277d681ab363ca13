// RUN: dycl-opt -p "dycl-lift-state,dycl-lift-state,dycl-lift-state" %s | filecheck %s

// No value at first, a tensor later: `hasattr` asks which it is, and a read raises.

// CHECK:      dycl.object @"no value" "builtins.object" {}
// CHECK:      func.func @forward(%x: !torch.vtensor<[2],f32>, %state_kind: !torch.int, %h: !torch.vtensor<[2],f32>) attributes
// CHECK-SAME:   #dycl.tuple<["h", "keep", #dycl.tuple<[]>, #dycl.tuple<[@"no value", #dycl.leaf<2>]>]>
// CHECK:        %[[START:.*]] = dycl.constant @"no value"
// CHECK:        %[[NONE:.*]] = dycl.constant @"no value"
// CHECK-NEXT:   %p = dycl.compare is_not %[[START]], %[[NONE]]
// CHECK:        dycl.compare is %[[START]]
// CHECK:          dycl.constant "'Net' object has no attribute 'h'"
// CHECK-NEXT:     dycl.raise "builtins.AttributeError"
// CHECK:        {test = "self.h has no value", dycl.variant}
// CHECK:        %p{{.*}} = dycl.compare is_not %h,
dycl.object @"" "m.Net" {}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  %hasattr = dycl.constant #dycl.global<"builtins.hasattr">
  %name = dycl.constant "h"
  %p = dycl.call %hasattr(%self, %name)
  dycl.if %p {
    %h = dycl.getattr %self "h"
    dycl.return %h
  } else {
    dycl.yield
  }
  dycl.setattr %self "h", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}
