// RUN: dycl-opt --split-input-file --verify-diagnostics %s

// A range needs a size of two or more in it: one of 0 or 1 alone is fixed.

// expected-error@below {{the size `n` is 0 to 1: it needs a range of sizes that ends at two or more}}
func.func @forward(%x: !torch.vtensor<[?],f32>) attributes {dycl.sizes = [#dycl.size<"n", 0 to 1, "x" 0>]} {
  dycl.return %x : (!torch.vtensor<[?],f32>) -> ()
}

// -----

// expected-error@below {{the size `n` is that of no input}}
func.func @forward(%x: !torch.vtensor<[?],f32>) attributes {dycl.sizes = [#dycl.size<"n", 1 to 4>]} {
  dycl.return %x : (!torch.vtensor<[?],f32>) -> ()
}
