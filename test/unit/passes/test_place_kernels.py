"""The division of kernels among backends is the best of all, tried one by one."""

import itertools
import random

import placed_programs
import pytest
from placed_programs import Images, path_takes, paths, takes
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


def placed(program, least_gain):
    """The backend of each kernel."""
    context = new_context()
    module = Parser(context, placed_programs.text(program)).parse_module()
    with collect_remarks():
        PlaceKernelsPass(least_gain=least_gain).apply(context, module)
    return tuple(
        kernel.attributes[BACKEND].data if BACKEND in kernel.attributes else "cpu"
        for kernel in list(module.ops)[1:]
    )


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_no_other_division_is_faster_where_there_are_decisions(first) -> None:
    """Sides, early returns and loops, by a profile and by guesses; kernels that several
    places launch; images that are converted."""
    moved, kept = 0, 0
    for seed in range(first, first + 100):
        program = placed_programs.drawn(seed)
        images = Images(program)
        where = placed(program, least_gain=0.0)
        every = itertools.product(*program.times)
        best = min(takes(program, images, one) for one in every)
        assert takes(program, images, where) == pytest.approx(best, abs=0.02), seed
        greedy = [min(times, key=times.get) for times in program.times]
        moved += {*where} != {"cpu"}
        kept += takes(program, images, greedy) > best + 0.02
    assert moved > 40
    assert kept > 10  # To take the fastest of each kernel would have been wrong.


@pytest.mark.parametrize("least_gain", [0.05, 0.5])
def test_a_division_has_to_gain_on_average_or_on_a_path(least_gain) -> None:
    seen = set()
    for seed in range(150):
        program = placed_programs.drawn(seed)
        images, ours = Images(program), ("cpu",) * len(program.times)
        best = placed(program, least_gain=0.0)
        if best == ours:
            continue

        average = takes(program, images, ours) / takes(program, images, best)
        both = [
            [path_takes(program, images, where, path) for where in (ours, best)]
            for path, _ in paths(program.body)
        ]
        ratios = [before / after for before, after in both if after]
        gains = [one > 1 + least_gain for one in (average, max(ratios))]
        assert placed(program, least_gain) == (best if any(gains) else ours), seed
        seen.add(tuple(gains))
    assert seen >= {(False, False), (False, True), (True, True)}


def test_no_backend_alone_is_faster_on_any_path_by_more_than_the_least_gain() -> None:
    """Where kernels share no image that is converted, each is placed for itself."""
    for seed in range(150):
        program = placed_programs.drawn(seed, ("sinh", "mul", "sigmoid"))
        images = Images(program)
        where = placed(program, least_gain=0.05)
        fastest = [min(times, key=times.get) for times in program.times]
        for path, _ in paths(program.body):
            best = path_takes(program, images, fastest, path)
            assert path_takes(program, images, where, path) <= 1.05 * best + 1e-6
