// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-expand-modules --dycl-eliminate-dead-code %s | filecheck %s

// What an op demands of a size is asked in the run, by the user's name of it.

// CHECK-LABEL: func.func @forward
// CHECK:         %0 = dycl.dim %x 0
// CHECK-NEXT:    %1 = dycl.constant 4 : i64 -> !torch.int
// CHECK-NEXT:    %2 = dycl.compare eq %0, %1
// CHECK-NEXT:    %3 = dycl.checked %x, %2 "InputError: `n` must be 4 (demands-sizes-of-inputs.mlir:14)"
// CHECK-NEXT:    %int1 = torch.constant.int 1
// CHECK-NEXT:    %z = torch.aten.add.Tensor %3, %y, %int1
func.func @forward(%x: !torch.vtensor<[?],f32>, %y: !torch.vtensor<[4],f32>) attributes {dycl.entry, dycl.params = ["x", "y"], dycl.sizes = [#dycl.size<"n", 0 to 8, "x" 0>]} {
  %z = dycl.binary add %x, %y : (!torch.vtensor<[?],f32>, !torch.vtensor<[4],f32>) -> !dycl.value
  dycl.return %z
}
