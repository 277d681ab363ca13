// RUN: dycl-opt %s | dycl-opt | filecheck %s

// The name of a size of inputs, its range, and the dimensions that are of it.

// CHECK-LABEL: func.func @forward
// CHECK-SAME:    dycl.sizes = [#dycl.size<"n", 1 to 512, "x" 1, "y" 0>, #dycl.size<"x.size(0)", 0, "x" 0>]
func.func @forward(%x: !torch.vtensor<[?,?],f32>, %y: !torch.vtensor<[?],f32>) attributes {dycl.entry, dycl.params = ["x", "y"], dycl.sizes = [#dycl.size<"n", 1 to 512, "x" 1, "y" 0>, #dycl.size<"x.size(0)", 0, "x" 0>]} {
  dycl.return %x : (!torch.vtensor<[?,?],f32>) -> ()
}
