"""The division of kernels among backends is the best of all, tried one by one."""

import itertools
import random

import pytest
from xdsl.parser import Parser

from dycl.diag import collect_remarks
from dycl.ir.functions import BACKEND
from dycl.passes.place_kernels import PlaceKernelsPass
from dycl.tools.same import new_context

TENSOR, COPY = "!torch.vtensor<[4000],f32>", 10.0
BYTES_PER_MICROSECOND = 12_000.0
CALL = COPY + 16_000 / BYTES_PER_MICROSECOND


def drawn(seed):
    """By kernel its times by backend, and the values that it reads: 0 is the input, n
    what kernel n - 1 gives; and what is returned."""
    chosen = random.Random(seed)
    times, reads = [], []
    for number in range(chosen.randint(2, 6)):
        backends = ["cpu", *chosen.sample(["toy", "cuda"], chosen.randint(0, 2))]
        times.append({name: float(chosen.randint(1, 40)) for name in backends})
        reads.append([chosen.randint(0, number) for _ in range(2)])
    return times, reads, chosen.randint(1, len(times))


def program(times, reads, returned):
    lines = [f"func.func @forward(%v0: {TENSOR}) attributes {{dycl.entry}} {{"]
    for number, (a, b) in enumerate(reads):
        lines.append(
            f"%v{number + 1} = dycl.launch @k{number}(%v{a}, %v{b}) : "
            f"({TENSOR}, {TENSOR}) -> {TENSOR}"
        )
    lines.append(f"dycl.return %v{returned} : ({TENSOR}) -> () }}")
    for number, of in enumerate(times):
        given = ", ".join(f"{name} = {time} : f64" for name, time in of.items())
        lines.append(
            f"func.func @k{number}(%x: {TENSOR}, %y: {TENSOR}) -> {TENSOR} "
            f"attributes {{dycl.kernel, dycl.times = {{{given}}}}} {{"
            f"%z = torch.aten.mul.Tensor %x, %y : {TENSOR}, {TENSOR} -> {TENSOR}\n"
            f"func.return %z : {TENSOR} }}"
        )
    return "\n".join(lines)


def cost(times, reads, returned, where):
    """Microseconds of a call, each kernel being where `where` says."""
    total = sum(of[name] for of, name in zip(times, where, strict=True))
    made = ["cpu", *where]
    for value, maker in enumerate(made):
        users = [where[k] for k, read in enumerate(reads) if value in read]
        users += ["cpu"] * (value == returned)
        if maker == "cuda":
            total += CALL * any(user != "cuda" for user in users)
        else:
            total += CALL * ("cuda" in users)
    return total


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_no_other_division_is_faster(first) -> None:
    context, moved = new_context(), set()
    for seed in range(first, first + 30):
        times, reads, returned = problem = drawn(seed)
        module = Parser(context, program(*problem)).parse_module()
        with collect_remarks():
            PlaceKernelsPass(least_gain=0.0).apply(context, module)
        where = [
            kernel.attributes[BACKEND].data if BACKEND in kernel.attributes else "cpu"
            for kernel in list(module.ops)[1:]
        ]
        every = itertools.product(*times)
        best = min(cost(times, reads, returned, one) for one in every)
        assert cost(times, reads, returned, where) == pytest.approx(best, abs=0.05)
        moved |= set(where)
    assert moved == {"cpu", "cuda", "toy"}
