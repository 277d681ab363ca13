"""NVIDIA's assembler takes our PTX, for three chips, and keeps all in registers."""

import pytest

pytest.importorskip("triton")
import re

from test_templates import CASES, compiled, text_of

from bench.ptx_table import CHIPS, assembled
from dycl.kernels.cuda.building import tiles_of

_NAMES = ("contraction-causal", "sequence-sorted-integers", "movement-table")


@pytest.fixture(scope="module")
def functions():
    texts = []
    for name in _NAMES:
        function, *inputs = CASES[name]
        texts.append(text_of(re.sub(r"\W", "_", name), function, inputs))
    tiles = tiles_of("module {\n" + "\n".join(texts) + "}\n", 120)
    return [f for program in tiles.programs for f in program.functions]


@pytest.mark.parametrize("chip", CHIPS)
def test_nothing_is_spilled(functions, chip) -> None:
    for ptx in compiled(functions, 90 if chip == 90 else 80):
        taken = assembled(ptx.text, chip)
        assert (taken.spilled, taken.stack) == (0, 0), ptx.entry
        assert 0 < taken.registers <= 255
        assert ptx.shared <= 99 << 10, "what a block of compute capability 8.6 has"
