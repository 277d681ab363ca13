// RUN: not dycl-opt %s 2>&1 | filecheck %s

// CHECK: the size `n` is 2 to 8, and has a version for 9
func.func @forward(%x: !torch.vtensor<[?],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.sizes = [#dycl.size<"n", 2 to 8 for 4 9, "x" 0>]} {
  dycl.return %x : (!torch.vtensor<[?],f32>) -> ()
}
