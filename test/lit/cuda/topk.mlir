// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A sort, and a warp for each row: where elements that are taken are tied, it does the
// row again as eager's library does it.

func.func @main(%x: !torch.vtensor<[3,9],f32>) -> !torch.vtensor<[3,2],si64> {
  %int2 = torch.constant.int 2
  %int1 = torch.constant.int 1
  %true = torch.constant.bool true
  %values, %indices = torch.aten.topk %x, %int2, %int1, %true, %true : !torch.vtensor<[3,9],f32>, !torch.int, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[3,2],f32>, !torch.vtensor<[3,2],si64> loc("net.py":7:9)
  return %indices : !torch.vtensor<[3,2],si64>
}

// CHECK:      def nth(v, p, n, k, most, GREATEST: tl.constexpr
// CHECK:      # blocks: 1, warps: 4
// CHECK:      # net.py:7:9
// CHECK:      # x0: f32[3, 9] -> t1: f32[3, 9], t0: i64[3, 9]
// CHECK-NEXT: # blocks: 3, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_1(x0, t1, t0):
// CHECK-NEXT:     r = tl.program_id(0)
// CHECK-NEXT:     v = t1 + r * 9
// CHECK-NEXT:     p = t0 + r * 9
// CHECK-NEXT:     tied = tl.zeros((32,), tl.int32)
// CHECK-NEXT:     for j_start in range(0, 2, 32):
// CHECK-NEXT:         j = j_start + tl.arange(0, 32)
// CHECK-NEXT:         here = j < 2
// CHECK-NEXT:         one = tl.load(v + j * 1, mask=here, other=0)
// CHECK-NEXT:         two = tl.load(v + (j + 1) * 1, mask=here, other=0)
// CHECK-NEXT:         tied += (here & ~(before(one, two, True) | before(two, one, True))).to(tl.int32)
// CHECK-NEXT:     if tl.max(tied, 0) > 0:
// CHECK-NEXT:         tl.debug_barrier()
// CHECK-NEXT:         c = tl.arange(0, 32)
// CHECK-NEXT:         c_in = c < 9
// CHECK-NEXT:         v1 = (c).to(tl.int64)
// CHECK-NEXT:         v2 = tl.load(x0 + r * 9 + c, mask=c_in, other=0.0)
// CHECK-NEXT:         tl.store(t1 + r * 9 + c, v2, mask=c_in)
// CHECK-NEXT:         tl.store(t0 + r * 9 + c, v1, mask=c_in)
// CHECK-NEXT:         tl.debug_barrier()
// CHECK-NEXT:         nth(v, p, 9, 1, 6, True, 1)
// CHECK-NEXT:         insert(v, p, 0, 1, True, 1)
