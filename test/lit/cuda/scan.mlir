// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt %s | filecheck %s

// Rows that fit are held whole; of longer ones, each piece goes on from where the last
// one ended. Floats are added up in f64.

func.func @main(%x: tensor<3x20xf32>, %e: tensor<3x20xf32>, %f: tensor<3xf32>) -> tensor<3x20xf32> {
  %s:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<3x20xf32>) outs(%e, %f : tensor<3x20xf32>, tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tm_tensor.yield %0 : f32
  } -> tensor<3x20xf32>, tensor<3xf32>
  return %s#0 : tensor<3x20xf32>
}

func.func @long(%x: tensor<5000xi64>, %e: tensor<5000xi64>, %f: tensor<i64>) -> tensor<5000xi64> {
  %s:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<5000xi64>) outs(%e, %f : tensor<5000xi64>, tensor<i64>) {
  ^bb0(%a: i64, %b: i64):
    %0 = arith.addi %a, %b : i64
    tm_tensor.yield %0 : i64
  } -> tensor<5000xi64>, tensor<i64>
  return %s#0 : tensor<5000xi64>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[3, 20] -> y0: f32[3, 20]
// CHECK-NEXT: # blocks: 1, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, y0):
// CHECK-NEXT:     r = tl.program_id(0) * 4 + tl.arange(0, 4)
// CHECK-NEXT:     r_in = r < 3
// CHECK-NEXT:     c = tl.arange(0, 32)
// CHECK-NEXT:     c_in = c < 20
// CHECK-NEXT:     v1 = tl.load(x0 + r[:, None] * 20 + c[None, :], mask=r_in[:, None] & c_in[None, :], other=0.0)
// CHECK-NEXT:     v2 = tl.where(c_in[None, :], tl.broadcast_to(v1, (4, 32)).to(tl.float64), 0.0)
// CHECK-NEXT:     v3 = tl.associative_scan(v2, 1, add)
// CHECK-NEXT:     v4 = v3.to(tl.float32)
// CHECK-NEXT:     tl.store(y0 + r[:, None] * 20 + c[None, :], v4, mask=r_in[:, None] & c_in[None, :])
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: i64[5000] -> y0: i64[5000]
// CHECK-NEXT: # blocks: 1, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def long_0(x0, y0):
// CHECK-NEXT:     v1 = tl.full((1, 1), 0, tl.int64)
// CHECK-NEXT:     for c_start in range(0, 5000, 1024):
// CHECK-NEXT:         c = c_start + tl.arange(0, 1024)
// CHECK-NEXT:         c_in = c < 5000
// CHECK-NEXT:         v2 = tl.load(x0 + c[None, :], mask=c_in[None, :], other=0)
// CHECK-NEXT:         v3 = tl.where(c_in[None, :], tl.broadcast_to(v2, (1, 1024)), 0)
// CHECK-NEXT:         v4 = tl.associative_scan(v3, 1, add)
// CHECK-NEXT:         v5 = add(v1, v4)
// CHECK-NEXT:         v1 = add(v1, tl.reduce(v3, 1, add)[:, None])
// CHECK-NEXT:         tl.store(y0 + c[None, :] + tl.zeros((1, 1024), tl.int32), v5, mask=c_in[None, :])
