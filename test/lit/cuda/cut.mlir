// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt %s | filecheck %s

// A slice whose place a run tells: one number for all elements, kept inside.

func.func @main(%x: tensor<4x20xf32>, %i: i64) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i64
  %c20 = arith.constant 20 : i64
  %0 = arith.cmpi slt, %i, %c0 : i64
  %1 = arith.addi %i, %c20 : i64
  %2 = arith.select %0, %1, %i : i64
  %3 = arith.index_cast %2 : i64 to index
  %y = tensor.extract_slice %x[0, %3] [4, 1] [1, 1] : tensor<4x20xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[4, 20], x1: i64 -> y0: f32[4]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 4
// CHECK-NEXT:     v1 = x1 < 0
// CHECK-NEXT:     v2 = x1 + 20
// CHECK-NEXT:     v3 = tl.where(v1, v2, x1)
// CHECK-NEXT:     v4 = v3.to(tl.int32)
// CHECK-NEXT:     v5 = tl.minimum(tl.maximum(v4, 0), 19).to(tl.int32)
// CHECK-NEXT:     v6 = tl.load(x0 + i * 20 + v5, mask=i_in, other=0.0)
// CHECK-NEXT:     tl.store(y0 + i, v6, mask=i_in)
