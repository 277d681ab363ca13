// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// The bias and the activation are the epilogue of the product.

func.func @main(%arg0: !torch.vtensor<[20,40],f32>, %arg1: !torch.vtensor<[24,40],f32>, %arg2: !torch.vtensor<[24],f32>) -> !torch.vtensor<[20,24],f32> {
  %int1 = torch.constant.int 1
  %int0 = torch.constant.int 0
  %0 = torch.prim.ListConstruct %int1, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
  %1 = torch.aten.permute %arg1, %0 : !torch.vtensor<[24,40],f32>, !torch.list<int> -> !torch.vtensor<[40,24],f32>
  %2 = torch.aten.mm %arg0, %1 : !torch.vtensor<[20,40],f32>, !torch.vtensor<[40,24],f32> -> !torch.vtensor<[20,24],f32>
  %3 = torch.aten.mul.Scalar %2, %int1 : !torch.vtensor<[20,24],f32>, !torch.int -> !torch.vtensor<[20,24],f32>
  %4 = torch.aten.mul.Scalar %arg2, %int1 : !torch.vtensor<[24],f32>, !torch.int -> !torch.vtensor<[24],f32>
  %5 = torch.aten.add.Tensor %3, %4, %int1 : !torch.vtensor<[20,24],f32>, !torch.vtensor<[24],f32>, !torch.int -> !torch.vtensor<[20,24],f32>
  %6 = torch.aten.relu %5 : !torch.vtensor<[20,24],f32> -> !torch.vtensor<[20,24],f32>
  return %6 : !torch.vtensor<[20,24],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[20, 40], x1: f32[24, 40], x2: f32[24] -> y0: f32[20, 24]
// CHECK-NEXT: # blocks: 1, warps: 4; 8.0: {{[0-9.]+}} us by {{[a-z]+}}, {{[0-9]+}} at once by {{[a-z ]+}}, 1 wave; 9.0: {{[0-9.]+}} us by
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, x2, y0):
// CHECK-NEXT:     m = tl.arange(0, 32)
// CHECK-NEXT:     m_in = m < 20
// CHECK-NEXT:     n = tl.arange(0, 32)
// CHECK-NEXT:     n_in = n < 24
// CHECK-NEXT:     acc = tl.zeros((32, 32), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 40, 64):
// CHECK-NEXT:         k = k_start + tl.arange(0, 64)
// CHECK-NEXT:         k_in = k < 40
// CHECK-NEXT:         v1 = tl.load(x0 + m[:, None] * 40 + k[None, :], mask=m_in[:, None] & k_in[None, :], other=0.0)
// CHECK-NEXT:         v2 = tl.load(x1 + n[None, :] * 40 + k[:, None], mask=k_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v1, v2, acc, input_precision="tf32x3")
// CHECK-NEXT:     v3 = tl.load(x2 + n[None, :], mask=n_in[None, :], other=0.0)
// CHECK-NEXT:     v4 = acc + v3
// CHECK-NEXT:     v5 = v4 < 0.0
// CHECK-NEXT:     v6 = tl.where(v5, 0.0, v4)
// CHECK-NEXT:     tl.store(y0 + m[:, None] * 24 + n[None, :], v6, mask=m_in[:, None] & n_in[None, :])
