"""The PTX machine computes what PTX says, and finds what is wrong with a kernel."""

import numpy as np
import pytest
from ptx_machine import Memory, PtxError, launch, parse
from ptx_machine.numbers import fused, to_bf16

_HEAD = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(
  .param .u64 x_param,
  .param .u64 y_param
)
{
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<32>;
  .reg .f32 %f<16>;
  .reg .b64 %d<16>;
  .shared .align 16 .b8 tile[256];
  ld.param.u64 %d1, [x_param];
  ld.param.u64 %d2, [y_param];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d3, %r1, 4;
  add.s64 %d4, %d1, %d3;
  add.s64 %d5, %d2, %d3;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.s32 %r4, %r3, %r2;
"""


def run(body: str, x, blocks: int = 1, threads: int = 64, out=None):
    """The array that a body leaves at %d2, whose elements have 4 bytes."""
    memory = Memory(1 << 16)
    source, target = memory.put(x), memory.allocate(4 * len(x))
    kernel = parse(_HEAD + body + "\n}\n")
    launch(kernel, blocks, threads, [source, target], memory)
    return memory.get(target, out or x.dtype, x.shape)


LOAD = "ld.global.u32 %r5, [%d4];"
STORE = "st.global.u32 [%d5], %r6; ret;"
numbers = np.arange(64, dtype=np.uint32) * 2654435761 % 1000


@pytest.mark.parametrize(
    ("text", "compute"),
    [
        ("add.s32 %r6, %r5, -3;", lambda x: x - 3),
        ("mad.lo.s32 %r6, %r5, %r1, 7;", lambda x: x * np.arange(64) + 7),
        ("mul.hi.u32 %r6, %r5, 0x80000000;", lambda x: x >> 1),
        ("shr.u32 %r6, %r5, 40;", lambda x: x * 0),
        ("bfe.u32 %r6, %r5, 3, 4;", lambda x: x >> 3 & 15),
        ("prmt.b32 %r6, %r5, 0, 0x4441;", lambda x: x >> 8 & 255),
        ("lop3.b32 %r6, %r5, 12, 10, 0xe8;", lambda x: (x & 12) | (x & 10) | 8),
        ("setp.lt.u32 %p1, %r5, 500; selp.u32 %r6, %r5, 1, %p1;",
         lambda x: np.where(x < 500, x, 1)),
        ("mov.u32 %r6, 5; setp.gt.u32 %p1, %r5, 500; @!%p1 mov.u32 %r6, %r5;",
         lambda x: np.where(x > 500, 5, x)),
        ("shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;", lambda x: x[np.arange(64) ^ 1]),
        ("shfl.sync.idx.b32 %r6, %r5, 3, 31, -1;",
         lambda x: x[np.arange(64) // 32 * 32 + 3]),
        ("redux.sync.max.u32 %r6, %r5, -1;",
         lambda x: np.repeat(x.reshape(2, 32).max(1), 32)),
    ],
)  # fmt: skip
def test_integers(text, compute) -> None:
    np.testing.assert_array_equal(run(LOAD + text + STORE, numbers), compute(numbers))


def test_threads_take_both_sides_and_meet_again() -> None:
    body = """
      setp.gt.u32 %p1, %r5, 500;
      @%p1 bra $big;
      add.s32 %r6, %r5, 1;
      bra.uni $end;
    $big:
      sub.s32 %r6, %r5, 1;
    $end:
      add.s32 %r6, %r6, 10;
    """
    wanted = np.where(numbers > 500, numbers + 9, numbers + 11)
    np.testing.assert_array_equal(run(LOAD + body + STORE, numbers), wanted)


def test_a_loop_runs_as_often_as_each_thread_asks() -> None:
    body = """
      and.b32 %r7, %r5, 7;
      mov.u32 %r6, 0;
    $again:
      setp.eq.u32 %p1, %r7, 0;
      @%p1 bra $end;
      add.s32 %r6, %r6, %r7;
      sub.s32 %r7, %r7, 1;
      bra $again;
    $end:
    """
    n = numbers & 7
    np.testing.assert_array_equal(run(LOAD + body + STORE, numbers), n * (n + 1) // 2)


def test_floats_are_rounded_as_ptx_says() -> None:
    generator = np.random.default_rng(0)
    a, b, c = (generator.standard_normal(4096).astype("f4") for _ in range(3))
    exact = a.astype(np.longdouble) * b + c
    np.testing.assert_array_equal(fused(a, b, c), exact.astype("f4"))
    tie = np.array([1 + 2**-8, 1 + 3 * 2**-8, np.nan], "f4")
    np.testing.assert_array_equal(to_bf16(tie), [0x3F80, 0x3F82, 0x7FC0])


def test_maximum_without_nan_and_with() -> None:
    x = np.array([np.nan, 1, -1, 2] * 16, "f4")
    load = "ld.global.f32 %f1, [%d4];"
    store = "st.global.f32 [%d5], %f2; ret;"
    quiet = run(f"{load} max.f32 %f2, %f1, 0f00000000; {store}", x)
    np.testing.assert_array_equal(quiet, [0, 1, 0, 2] * 16)
    loud = run(f"{load} max.NaN.f32 %f2, %f1, 0f00000000; {store}", x)
    np.testing.assert_array_equal(loud, [np.nan, 1, 0, 2] * 16)


def test_of_two_zeros_one_is_the_lesser() -> None:
    x = np.array([0.0, -0.0] * 32, "f4")
    text = "ld.global.f32 %f1, [%d4]; {} st.global.f32 [%d5], %f2; ret;"
    least = run(text.format("min.f32 %f2, %f1, 0f00000000;"), x)
    np.testing.assert_array_equal(np.signbit(least), [False, True] * 32)
    greatest = run(text.format("max.NaN.f32 %f2, 0f80000000, %f1;"), x)
    np.testing.assert_array_equal(np.signbit(greatest), [False, True] * 32)


def test_lanes_that_come_another_way_are_waited_for() -> None:
    """Those of a block that stands behind the shuffle in the text."""
    body = """
      setp.lt.u32 %p1, %r1, 5;
      @%p1 bra $other;
    $meet:
      shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;
    """
    other = "$other: bra.uni $meet;"
    found = run(LOAD + body + STORE + other, numbers)
    np.testing.assert_array_equal(found, numbers[np.arange(64) ^ 1])


def test_what_does_not_fit_is_carried() -> None:
    body = """
      .reg .b32 %high;
      add.cc.u32 %r6, %r5, 0xffffffff;
      addc.u32 %high, 0, 0;
      mad.lo.cc.u32 %r6, %r5, %r5, 0xffffffff;
      madc.hi.u32 %r7, %r5, %r5, %high;
      sub.cc.u32 %r6, %r7, 1;
      subc.u32 %r6, %r6, 0;
    """
    large = (numbers.astype(np.uint32) * 0x9E3779B9).astype(np.uint32)
    found = run(LOAD + body + STORE, large)
    high = (large.astype(np.uint64) + 0xFFFFFFFF) >> 32
    square = large.astype(object) ** 2 + 0xFFFFFFFF
    sums = (square >> 32) + high.astype(object)
    expected = [int(n - 1 - (n == 0)) & 0xFFFFFFFF for n in sums]
    np.testing.assert_array_equal(found, np.array(expected, np.uint32))


def test_threads_have_memory_of_their_own() -> None:
    head = ".local .align 4 .b8 own[8]; .reg .b32 %at; mov.b32 %at, own;"
    body = "st.local.b32 [%at+4], %r5; ld.local.b32 %r6, [%at+4];"
    found = run(LOAD + head + body + STORE, numbers)
    np.testing.assert_array_equal(found, numbers)
    for wrong, complaint in (
        ("ld.local.b32 %r6, [%at];", "nobody has written"),
        ("ld.local.b32 %r6, [%at+8];", "out of bounds in local"),
        ("st.local.b32 [%at+2], %r6;", "no multiple of 4"),
    ):
        with pytest.raises(PtxError, match=complaint):
            run(LOAD + head + wrong + STORE, numbers)


def test_a_function_stands_where_it_is_called() -> None:
    """Its registers are its own, and so are those of each brace."""
    call = """
      { .reg .b32 %r5; mov.u32 %r5, 7; }
      { .param .b32 given; .param .b32 back;
        st.param.b32 [given], %r5;
        call.uni (back), twice, (given);
        ld.param.b32 %r6, [back]; }
    """
    function = """
    }
    .func (.param .b32 result) twice(.param .b32 number)
    {
      .reg .b32 %r<6>;
      .reg .pred %p<2>;
      ld.param.b32 %r5, [number];
      setp.lt.s32 %p1, %r5, 30;
      @%p1 bra $small;
      st.param.b32 [result], %r5;
      ret;
    $small:
      add.s32 %r1, %r5, %r5;
      st.param.b32 [result], %r1;
      ret;
    """
    found = run(LOAD + call + call + STORE + function, numbers)
    np.testing.assert_array_equal(found, np.where(numbers < 30, 2 * numbers, numbers))


EXCHANGE = """
  st.shared.u32 [%r4], %r5;
  BARRIER
  xor.b32 %r7, %r2, 128;
  add.s32 %r8, %r3, %r7;
  ld.shared.u32 %r6, [%r8];
"""


def test_shared_memory_behind_a_barrier() -> None:
    found = run(LOAD + EXCHANGE.replace("BARRIER", "bar.sync 0;") + STORE, numbers)
    np.testing.assert_array_equal(found, numbers[np.arange(64) ^ 32])


COPY = """
  cp.async.ca.shared.global [%r4], [%d4], 4;
  cp.async.commit_group;
  WAIT
  ld.shared.u32 %r6, [%r4];
"""


def test_a_copy_arrives_when_it_is_waited_for() -> None:
    found = run(COPY.replace("WAIT", "cp.async.wait_group 0;") + STORE, numbers)
    np.testing.assert_array_equal(found, numbers)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (LOAD + EXCHANGE.replace("BARRIER", "") + STORE, "race on shared"),
        (COPY.replace("WAIT", "") + STORE, "on its way"),
        (COPY.replace("WAIT", "cp.async.wait_group 1;") + STORE, "on its way"),
        (COPY.replace("WAIT\n  ld.shared.u32 %r6, [%r4];", "") + LOAD + "ret;",
         "nobody waits for a copy"),
        (LOAD + "shr.u32 %r6, %r1, 1; mad.wide.u32 %d6, %r6, 4, %d2;"
         "st.global.u32 [%d6], %r6; ret;", "two threads write"),
        ("ld.shared.u32 %r6, [%r4];" + STORE, "never written"),
        ("ld.global.u32 %r6, [%d5];" + STORE, "never written"),
        ("ld.global.u32 %r6, [%d4+4];" + STORE, "out of bounds in global"),
        ("ld.global.u32 %r6, [%d4+2];" + STORE, "no multiple of 4"),
        (LOAD + "st.shared.u32 [%r4+4], %r5; ret;", "out of bounds in shared"),
        (LOAD + "st.global.u32 [%d2], %r5; ret;", "race"),
        ("setp.lt.u32 %p1, %r1, 32; @%p1 bra $end; bar.sync 0;\n$end: ret;",
         "not all threads"),
        ("setp.lt.u32 %p1, %r1, 5; @%p1 shfl.sync.bfly.b32 %r6, %r1, 1, 31, -1; ret;",
         "does not come"),
        ("tcgen05.fence::after_thread_sync; ret;", "unknown instruction"),
        (LOAD + "setp.lt.u32 %p1, %r1, 9; @%p1 st.global.u32 [%d5], %r5; ret;",
         "not written as a whole"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found(body, complaint) -> None:
    with pytest.raises(PtxError, match=complaint):
        run(body, numbers)


def test_blocks_that_write_the_same_bytes_race() -> None:
    """Side by side, and where one has ended before the other begins."""
    with pytest.raises(PtxError, match="race"):
        run(LOAD + "mov.u32 %r6, %ctaid.x;" + STORE, numbers, blocks=2)
    waits = """
      mov.u32 %r6, %ctaid.x;
      setp.eq.u32 %p1, %r6, 0;
      @%p1 bra $end;
      add.s32 %r6, %r6, 1;
    $end:
    """
    alone = "@%p1 st.global.u32 [%d5], %r6; @!%p1 st.global.u32 [%d5], %r6; ret;"
    with pytest.raises(PtxError, match="race on global"):
        run(LOAD + waits + alone, numbers, blocks=2)
