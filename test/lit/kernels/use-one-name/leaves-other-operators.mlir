// An operator without another name stays for the conversion to refuse.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-use-one-name | filecheck %s

// CHECK: torch.operator "torch.aten.frobnicate"(%arg0)
func.func @k(%x: !torch.vtensor<[2],i1>) -> !torch.vtensor<[2],i1> {
  %a = torch.operator "torch.aten.frobnicate"(%x) : (!torch.vtensor<[2],i1>) -> !torch.vtensor<[2],i1>
  return %a : !torch.vtensor<[2],i1>
}
