// RUN: dycl-opt --dycl-lower-host %s | filecheck %s
// RUN: dycl-opt --dycl-check-hcfg --dycl-lower-host %s | filecheck %s

// An input may have sizes that `dycl.sizes` names; the host function has it, too.

// CHECK-LABEL: host.func @forward(%x: memref<?x3xf32>) params ["x"] attributes {dycl.sizes = [#dycl.size<"n", 1, "x" 0>]}
// CHECK-NEXT:    %n = dycl.dim %x 0 : (memref<?x3xf32>) -> i64
func.func @forward(%x: !torch.vtensor<[?,3],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.sizes = [#dycl.size<"n", 1, "x" 0>]} {
  %n = dycl.dim %x 0 : (!torch.vtensor<[?,3],f32>) -> !torch.int
  dycl.return %n {structure = #dycl.leaf<0>} : (!torch.int) -> ()
}
