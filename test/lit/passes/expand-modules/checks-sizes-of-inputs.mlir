// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-expand-modules --dycl-eliminate-dead-code %s | filecheck %s

// Two dimensions of one name need no test; what an op demands of a size is one, with the
// user's name and line.

// CHECK-LABEL: func.func @same
// CHECK-NOT:     dycl.checked
// CHECK:         torch.aten.add.Tensor %x, %y
func.func @same(%x: !torch.vtensor<[?],f32>, %y: !torch.vtensor<[?],f32>) attributes {dycl.entry, dycl.params = ["x", "y"], dycl.sizes = [#dycl.size<"n", 0 to 8, "x" 0, "y" 0>]} {
  %z = dycl.binary add %x, %y : (!torch.vtensor<[?],f32>, !torch.vtensor<[?],f32>) -> !dycl.value
  dycl.return %z
}
