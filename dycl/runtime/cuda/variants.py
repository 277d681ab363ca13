"""PTX of kernels as nodes of a graph need it: numbers by address, and guards.

The parameters of a node never change, so a number that a run computes is read from the
memory where the run has put it. A kernel with a guard ends at once where the byte at
its last parameter says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection

COPY, BEGIN = "dycl_copy", "dycl_begin"
"""Entries of `FIXED`."""
COPY_THREADS = 128
"""Of a block of `COPY`."""

_HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
FIXED = {
    COPY: f"""{_HEAD}
.visible .entry {COPY}(
	.param .u64 {COPY}_0, .param .u64 {COPY}_1, .param .u64 {COPY}_2,
	.param .u64 {COPY}_3
)
{{
	.reg .pred %p<3>;
	.reg .b16 %rs<2>;
	.reg .b32 %r<5>;
	.reg .b64 %rd<12>;
	ld.param.u64 %rd1, [{COPY}_0];
	ld.param.u64 %rd2, [{COPY}_1];
	ld.param.u64 %rd3, [{COPY}_2];
	ld.param.u64 %rd4, [{COPY}_3];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r1, %r2, %r3;
	cvt.u64.u32 %rd5, %r4;
	setp.ge.u64 %p1, %rd5, %rd3;
	@%p1 bra REST;
	shl.b64 %rd6, %rd5, 3;
	add.s64 %rd7, %rd1, %rd6;
	add.s64 %rd8, %rd2, %rd6;
	ld.global.u64 %rd9, [%rd7];
	st.global.u64 [%rd8], %rd9;
	ret;
REST:
	sub.s64 %rd6, %rd5, %rd3;
	setp.ge.u64 %p2, %rd6, %rd4;
	@%p2 ret;
	shl.b64 %rd7, %rd3, 3;
	add.s64 %rd6, %rd6, %rd7;
	add.s64 %rd8, %rd1, %rd6;
	add.s64 %rd10, %rd2, %rd6;
	ld.global.u8 %rs1, [%rd8];
	st.global.u8 [%rd10], %rs1;
	ret;
}}
""",
    BEGIN: f"""{_HEAD}
.visible .entry {BEGIN}(
	.param .u64 {BEGIN}_0
)
{{
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [{BEGIN}_0];
	mov.u64 %rd2, 0;
	st.global.u64 [%rd1], %rd2;
	st.global.u64 [%rd1+8], %rd2;
	st.global.u64 [%rd1+16], %rd2;
	ret;
}}
""",
}
"""`COPY` takes from, to, words of 8 bytes and the bytes behind them; `BEGIN` clears the
record (`record.py`) that it is given."""


class NoVariant(ValueError):
    """PTX is not written as it is expected to be."""


def variant(
    ptx: str, entry: str, by_address: Collection[int], guard: bool | None
) -> str:
    """The PTX with other parameters.

    Those of the numbers in `by_address` are addresses. With `guard` a last parameter is
    the address of a byte: False, the function ends where it is 0; True, where it is
    not. NoVariant: it cannot be rewritten.
    """
    for number in by_address:
        ptx = _by_address(ptx, f"{entry}_param_{number}")
    return ptx if guard is None else _guarded(ptx, entry, guard)


def _by_address(ptx: str, name: str) -> str:
    declared = rf"\.param\s+\.\w+\s+{re.escape(name)}(?=\s*[,)\n])"
    ptx, count = re.subn(declared, f".param .u64 {name}", ptx)
    load = rf"ld\.param\.(\w+)(\s+)(%\w+),\s*\[{re.escape(name)}\];"
    number = name.rpartition("_")[2]
    at = f"%number_{number}"

    def through_memory(match: re.Match[str]) -> str:
        kind, space, register = match.groups()
        return (
            f"{{ .reg .b64 {at}; ld.param.u64 {at}, [{name}]; "
            f"ld.global.{kind}{space}{register}, [{at}]; }}"
        )

    ptx = re.sub(load, through_memory, ptx)
    named = len(re.findall(rf"(?<![\w$]){re.escape(name)}(?![\w$])", ptx))
    loaded = ptx.count(f"ld.param.u64 {at}, [{name}];")
    if count != 1 or named != 1 + loaded:
        raise NoVariant(f"parameter {name} is used in an unknown way")
    return ptx


def _guarded(ptx: str, entry: str, negated: bool) -> str:
    head = re.search(rf"\.entry\s+{re.escape(entry)}\s*\(([^)]*)\)([^{{]*)\{{", ptx)
    if head is None:
        raise NoVariant(f"there is no entry {entry}")
    name = f"{entry}_guard"
    comma = "," if head[1].strip() else ""
    parameters = f"{head[1].rstrip()}{comma}\n\t.param .u64 {name}\n"
    leaves = "ne" if negated else "eq"
    start = f"""	.reg .pred %guard_holds;
	.reg .b16 %guard_byte;
	.reg .b64 %guard_at;
	ld.param.u64 %guard_at, [{name}];
	ld.global.u8 %guard_byte, [%guard_at];
	setp.{leaves}.u16 %guard_holds, %guard_byte, 0;
	@%guard_holds ret;
"""
    return f"{ptx[: head.start(1)]}{parameters}){head[2]}{{\n{start}{ptx[head.end() :]}"
