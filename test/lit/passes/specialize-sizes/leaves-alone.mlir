// RUN: dycl-opt --dycl-specialize-sizes %s | filecheck %s

// Sizes that have no versions.

// CHECK-NOT: dycl.specialized
// CHECK-NOT: dycl.if
// CHECK: dycl.return %x
func.func @forward(%x: !torch.vtensor<[?],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.sizes = [#dycl.size<"n", 0 to 40, "x" 0>]} {
  dycl.return %x : (!torch.vtensor<[?],f32>) -> ()
}
