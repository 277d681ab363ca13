"""Kernels whose sizes a run decides: inputs bring them, results have their own."""

import numpy as np
import pytest

from dycl.kernels.cpu import CpuBackend
from dycl.runtime.buffers import Buffer, OpenBuffer, allocate
from dycl.runtime.kernels import make_launch

OPEN = "!torch.vtensor<[?,4],f32>"
TEXT = f"""
func.func @grow(%x: {OPEN}, %k: !torch.int, %w: !torch.vtensor<[1,4],f32>)
    -> ({OPEN}, !torch.vtensor<[4],f32>, {OPEN}) {{
  %zero = torch.constant.int 0
  %one = torch.constant.int 1
  %none = torch.constant.none
  %false = torch.constant.bool false
  %list = torch.prim.ListConstruct %x, %w
      : ({OPEN}, !torch.vtensor<[1,4],f32>) -> !torch.list<vtensor>
  %y = torch.aten.cat %list, %zero : !torch.list<vtensor>, !torch.int -> {OPEN}
  %dims = torch.prim.ListConstruct %zero : (!torch.int) -> !torch.list<int>
  %s = torch.aten.sum.dim_IntList %y, %dims, %false, %none
      : {OPEN}, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[4],f32>
  %z = torch.aten.slice.Tensor %x, %zero, %zero, %k, %one
      : {OPEN}, !torch.int, !torch.int, !torch.int, !torch.int -> {OPEN}
  return %y, %s, %z : {OPEN}, !torch.vtensor<[4],f32>, {OPEN}
}}
"""


@pytest.fixture(scope="module")
def library():
    return CpuBackend().compile(TEXT)


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_launch_at_any_size(library, rows):
    assert library["grow"].spec.inputs[0].shape == (-1, 4)
    assert library["grow"].open_dims == ((0,), (), (), (-1,), (), (-1,))
    w, total = Buffer(np.ones((1, 4), np.float32)), allocate("float32", (4,))
    longer, part = OpenBuffer("float32", 2), OpenBuffer("float32", 2)
    launch = make_launch(library["grow"], [..., ..., w, longer, total, part])
    x = np.arange(rows * 4, dtype=np.float32).reshape(rows, 4)
    for k in (0, 1, 7):
        launch(Buffer(x), k)
        np.testing.assert_array_equal(longer.array, np.concatenate([x, w.array]))
        np.testing.assert_array_equal(total.array, longer.array.sum(0))
        np.testing.assert_array_equal(part.array, x[:k])
    before = longer.array
    launch(Buffer(x[:0]), 0)
    assert before.shape == (rows + 1, 4), "what was taken over is not written again"
    assert longer.array.shape == (1, 4)
