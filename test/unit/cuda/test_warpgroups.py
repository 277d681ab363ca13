"""Products of four warps, on 9.0, by PTX written by hand."""

import numpy as np
import pytest
from ptx_machine import Memory, PtxError, launch, parse

_TEXT = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 x_param, .param .u64 y_param)
{
  .reg .pred %p<4>;
  .reg .b32 %r<40>;
  .reg .b64 %d<16>;
  .shared .align 1024 .b8 tile[1024];
  ld.param.u64 %d1, [x_param];
  ld.param.u64 %d2, [y_param];
  mov.u32 %r1, %tid.x;
  // The right matrix: 64 numbers as they stand in shared memory.
  setp.lt.u32 %p1, %r1, 64;
  mul.wide.u32 %d3, %r1, 4;
  add.s64 %d4, %d1, %d3;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.s32 %r4, %r3, %r2;
  @%p1 ld.global.b32 %r5, [%d4+2048];
  @%p1 st.shared.b32 [%r4], %r5;
  PROXY
  bar.sync 0;
  // A thread's numbers of the left one: row 16 * warp + lane / 4, column lane % 4.
  shr.u32 %r6, %r1, 5;
  shl.b32 %r7, %r6, 4;
  bfe.u32 %r8, %r1, 2, 3;
  add.s32 %r9, %r7, %r8;
  and.b32 %r10, %r1, 3;
  shl.b32 %r11, %r9, 3;
  add.s32 %r12, %r11, %r10;
  mul.wide.u32 %d5, %r12, 4;
  add.s64 %d6, %d1, %d5;
  ld.global.b32 %r20, [%d6];
  ld.global.b32 %r21, [%d6+256];
  ld.global.b32 %r22, [%d6+16];
  ld.global.b32 %r23, [%d6+272];
  add.s32 %r13, %r12, %r10;
  mul.wide.u32 %d7, %r13, 4;
  add.s64 %d8, %d2, %d7;
  // Two groups of 8 by 16 bytes, 128 bytes from each other.
  mov.b64 %d9, DESCRIPTOR;
  REGISTERS
  wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32
    {%r30, %r31, %r32, %r33}, {%r20, %r21, %r22, %r23}, %d9, 0, 1, 1;
  wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32
    {%r30, %r31, %r32, %r33}, {%r20, %r21, %r22, %r23}, %d9, %p1, 1, 1;
  wgmma.commit_group.sync.aligned;
  MEANWHILE
  WAIT
  st.global.v2.b32 [%d8], {%r30, %r31};
  st.global.v2.b32 [%d8+256], {%r32, %r33};
  ret;
}
"""
_RIGHT = {
    "PROXY": "fence.proxy.async.shared::cta;",
    "REGISTERS": "wgmma.fence.sync.aligned; setp.lt.u32 %p1, %r1, 128;",
    "MEANWHILE": "",
    "WAIT": "wgmma.wait_group.sync.aligned 0;",
    "DESCRIPTOR": str(128 >> 4 << 16),
}
_LATE = "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.b32 [%r4], %r5;"
"""One thread writes what it has read itself, and other warps too."""
left = np.arange(512, dtype=np.float32).reshape(64, 8) * 7 % 23 - 11
right = np.arange(64, dtype=np.float32).reshape(8, 8) * 5 % 19 - 9
"""Columns by depth."""
_PLAIN = right.reshape(8, 2, 4).transpose(1, 0, 2)
"""In parts of 16 bytes of the depth."""


def product(right_in_memory, threads: int = 128, **changes: str):
    """What the kernel leaves, for a right matrix that stands so in shared memory."""
    text = _TEXT
    for name, part in (_RIGHT | changes).items():
        text = text.replace(name, part)
    memory = Memory(1 << 16)
    given = np.concatenate([left.ravel(), np.ravel(right_in_memory)])
    source, target = memory.put(given), memory.allocate(4 * 512)
    launch(parse(text), 1, threads, [source, target], memory)
    return memory.get(target, "f4", (64, 8))


def test_sums_of_two_products() -> None:
    np.testing.assert_array_equal(product(_PLAIN), 2 * (left @ right.T))


def test_lines_of_32_bytes_are_shuffled() -> None:
    """Of lines 4 to 7, whose addresses have bit 7, the halves change places."""
    lines = right.reshape(8, 2, 4).copy()
    lines[4:] = lines[4:, ::-1]
    descriptor = str((3 << 62) | (256 >> 4 << 32))
    found = product(lines, DESCRIPTOR=descriptor)
    np.testing.assert_array_equal(found, 2 * (left @ right.T))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"PROXY": ""}, "no fence behind what was written"),
        ({"REGISTERS": "setp.lt.u32 %p1, %r1, 128;"}, "no fence since"),
        ({"REGISTERS": f"{_RIGHT['REGISTERS']} mov.b32 %r20, %r5;"}, "no fence since"),
        ({"MEANWHILE": "mov.b32 %r20, 0;"}, "a product that is under way uses %r20"),
        ({"MEANWHILE": "mov.b32 %r5, %r30;"}, "a product that is under way uses %r30"),
        ({"MEANWHILE": "mov.b32 %r30, 0;"}, "a product that is under way uses %r30"),
        ({"WAIT": "ret;"}, "nobody waits for a product"),
        ({"WAIT": "wgmma.wait_group.sync.aligned 1; ret;"}, "nobody waits for a pro"),
        ({"MEANWHILE": f"{_RIGHT['WAIT']} {_LATE}"}, "race on shared"),
        (
            {"MEANWHILE": "bar.sync 0; @%p1 st.shared.b32 [%r4], %r5;"},
            "race on shared|no fence behind",
        ),
        ({"DESCRIPTOR": str(128 >> 4 << 16 | 240 >> 4)}, "never written"),
    ],
)
def test_what_is_wrong_is_found(changes, complaint) -> None:
    with pytest.raises(PtxError, match=complaint):
        product(_PLAIN, **changes)


def test_sums_are_there_when_they_are_waited_for() -> None:
    early = "st.global.v2.b32 [%d8], {%r30, %r31};"
    with pytest.raises(PtxError, match="a product that is under way uses %r30"):
        product(_PLAIN, WAIT=f"{early} {_RIGHT['WAIT']}")


def test_sums_may_be_copied_behind_a_fence() -> None:
    found = product(_PLAIN, REGISTERS=f"{_RIGHT['REGISTERS']} mov.b32 %r33, %r32;")
    np.testing.assert_array_equal(found, 2 * (left @ right.T))


def test_a_barrier_lets_others_write_what_was_read() -> None:
    late = f"{_RIGHT['WAIT']} bar.sync 0; {_LATE}"
    found = product(_PLAIN, MEANWHILE=late)
    np.testing.assert_array_equal(found, 2 * (left @ right.T))


def test_four_warps_come_together() -> None:
    with pytest.raises(PtxError, match="not by whole groups of four warps"):
        product(_PLAIN, threads=96)
