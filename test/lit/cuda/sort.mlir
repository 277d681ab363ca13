// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt %s | filecheck %s

// Each element counts those of its row that come before it: its place, at which it is
// stored with what is moved along.

func.func @main(%x: tensor<3x200xf32>, %places: tensor<3x200xi64>) -> (tensor<3x200xf32>, tensor<3x200xi64>) {
  %s:2 = tm_tensor.sort dimension(1) outs(%x, %places : tensor<3x200xf32>, tensor<3x200xi64>) {
  ^bb0(%a: f32, %b: f32, %i: i64, %j: i64):
    %0 = arith.cmpf ole, %a, %b : f32
    %1 = arith.cmpf uno, %b, %b : f32
    %2 = arith.ori %0, %1 : i1
    tm_tensor.yield %2 : i1
  } -> tensor<3x200xf32>, tensor<3x200xi64>
  return %s#0, %s#1 : tensor<3x200xf32>, tensor<3x200xi64>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[3, 200], x1: i64[3, 200] -> y0: f32[3, 200], y1: i64[3, 200]
// CHECK-NEXT: # blocks: 38, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0, y1):
// CHECK-NEXT:     r = tl.program_id(0) * 16 + tl.arange(0, 16)
// CHECK-NEXT:     r_in = r < 600
// CHECK-NEXT:     r1 = r % 200
// CHECK-NEXT:     r0 = r // 200
// CHECK-NEXT:     v1 = tl.load(x0 + r[:, None], mask=r_in[:, None], other=0.0)
// CHECK-NEXT:     v2 = tl.load(x1 + r[:, None], mask=r_in[:, None], other=0)
// CHECK-NEXT:     v3 = tl.zeros((16, 128), tl.float32)
// CHECK-NEXT:     for c_start in range(0, 200, 128):
// CHECK-NEXT:         c = c_start + tl.arange(0, 128)
// CHECK-NEXT:         c_in = c < 200
// CHECK-NEXT:         v4 = tl.load(x0 + r0[:, None] * 200 + c[None, :], mask=r_in[:, None] & c_in[None, :], other=0.0)
// CHECK-NEXT:         v6 = v4 <= v1
// CHECK-NEXT:         v7 = (v1 != v1) | (v1 != v1)
// CHECK-NEXT:         v8 = v6 | v7
// CHECK-NEXT:         v9 = v1 <= v4
// CHECK-NEXT:         v10 = (v4 != v4) | (v4 != v4)
// CHECK-NEXT:         v11 = v9 | v10
// CHECK-NEXT:         v12 = c[None, :] < (r1[:, None])
// CHECK-NEXT:         v13 = c[None, :] > (r1[:, None])
// CHECK-NEXT:         v3 += (((v12 & v8) | (v13 & ~v11)) & c_in[None, :]).to(tl.float32)
// CHECK-NEXT:     v14 = tl.reduce(v3, 1, add)[:, None].to(tl.int32)
// CHECK-NEXT:     tl.store(y0 + r0[:, None] * 200 + v14, v1, mask=r_in[:, None])
// CHECK-NEXT:     tl.store(y1 + r0[:, None] * 200 + v14, v2, mask=r_in[:, None])
