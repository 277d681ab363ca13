// RUN: dycl-opt -p "dycl-lift-state{max-variants=2},dycl-lift-state{max-variants=2}" %s | filecheck %s

// Two returns leave two kinds besides the first: three are too many, so none is added.

// CHECK:      func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes
// CHECK-NOT:    dycl.template
// CHECK-NOT:    dycl.variant
// CHECK:        dycl.unsupported "DY208" "the attribute `h` is of another kind after each call
dycl.object @"" "m.Net" {h = #dycl.none}
func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes {dycl.entry, dycl.params = ["x", "p"]} {
  %self = dycl.constant @""
  %seven = dycl.constant 7 : i64 -> !torch.int
  %h = dycl.getattr %self "h"
  dycl.if %p : !torch.bool {
    dycl.setattr %self "h", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
  }
  dycl.setattr %self "h", %seven : (!dycl.value, !torch.int) -> ()
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}
