// `x & y` is `bitwise_and`, also where torch-mlir does not know the op.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-use-one-name | filecheck %s

// CHECK: %[[A:.*]] = torch.aten.bitwise_and.Tensor %arg0, %arg1
// CHECK: torch.aten.bitwise_xor.Tensor %[[A]], %arg1
// CHECK-NOT: torch.operator
func.func @k(%x: !torch.vtensor<[2],i1>, %y: !torch.vtensor<[2],i1>) -> !torch.vtensor<[2],i1> {
  %a = torch.aten.__and__.Tensor %x, %y : !torch.vtensor<[2],i1>, !torch.vtensor<[2],i1> -> !torch.vtensor<[2],i1>
  %b = torch.operator "torch.aten.__xor__.Tensor"(%a, %y) : (!torch.vtensor<[2],i1>, !torch.vtensor<[2],i1>) -> !torch.vtensor<[2],i1>
  return %b : !torch.vtensor<[2],i1>
}
