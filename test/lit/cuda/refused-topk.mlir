// REQUIRES: torch-mlir
// RUN: not %python -m dycl.kernels.cuda.opt --torch %s 2>&1 | filecheck %s

// Of equal elements `topk` chooses as eager's library does, for which there is no
// template.

// CHECK: error: net.py:7:9: the op chooses among equal elements in an order of its own: no template for CUDA: topk, kthvalue
func.func @main(%x: !torch.vtensor<[9],f32>) -> !torch.vtensor<[2],f32> {
  %int2 = torch.constant.int 2
  %int0 = torch.constant.int 0
  %true = torch.constant.bool true
  %values, %indices = torch.aten.topk %x, %int2, %int0, %true, %true : !torch.vtensor<[9],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[2],f32>, !torch.vtensor<[2],si64> loc("net.py":7:9)
  return %values : !torch.vtensor<[2],f32>
}
