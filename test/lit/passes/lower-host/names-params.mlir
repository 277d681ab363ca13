// RUN: dycl-opt --dycl-lower-host %s | filecheck %s

// Inputs are called what the user calls them; `self` has gone by then.

// CHECK: host.func @forward(%0: memref<2xf32>, %1: i64) params ["image", "depth"] {
func.func @forward(%0: !torch.vtensor<[2],f32>, %1: !torch.int) attributes {dycl.entry, dycl.params = ["self", "image", "depth"]} {
  dycl.return %0 : (!torch.vtensor<[2],f32>) -> ()
}
