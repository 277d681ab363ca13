"""`cpu-loop-over-samples`: the loop that calls the kernel of one sample for each.

Before:
    llvm.func @k.sample.0.all(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)
        attributes {dycl.steps = array<i64: 200704, 0, 200704>}

After:
    llvm.func internal @k.sample.0.all(%x, %w, %y, %first, %n) {
    ^head(%i):  // from %first
      llvm.cond_br (%i < %n), ^body, ^end
    ^body:
      %xi = llvm.getelementptr %x[%i * 200704] ...
      llvm.call @k.sample.0(%xi, %w, %yi)

Needs:  the LLVM dialect; `cpu-call-samples`.
Leaves: functions of one sample internal, so that LLVM may inline them.
Skips:  other functions.
"""

from typing import Any

from dycl.kernels.cpu.check import kernel_name
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.samples.call_samples import ALL, STEPS
from dycl.kernels.cpu.samples.marked import SAMPLE


def loop_over_samples(module: Any) -> None:
    """Give each loop over samples its body."""
    for op in [op.operation for op in module.body.operations]:
        if op.name != "llvm.func":
            continue
        if SAMPLE in op.attributes:
            op.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<internal>")
            del op.attributes[SAMPLE]
        if STEPS in op.attributes:
            name, steps = kernel_name(op), list(op.attributes[STEPS])
            with op.location:
                parsed = ir.Module.parse(_text(name.removesuffix(ALL), steps))
                loop = parsed.body.operations[1].operation
                loop.clone(ir.InsertionPoint(op))
            op.erase()


def _text(sample: str, steps: list[int]) -> str:
    """The loop, behind a declaration of what it calls."""
    pointer = "!llvm.ptr"
    places = range(len(steps))
    lines = ["%one = llvm.mlir.constant(1 : i64) : i64"]
    lines += [f"%step{i} = llvm.mlir.constant({steps[i]} : i64) : i64" for i in places]
    lines += ["llvm.br ^head(%first : i64)", "^head(%i: i64):"]
    lines += ['%more = llvm.icmp "slt" %i, %n : i64']
    lines += ["llvm.cond_br %more, ^body, ^end", "^body:"]
    for i in places:
        lines.append(f"%by{i} = llvm.mul %i, %step{i} : i64")
        moved = f"llvm.getelementptr inbounds %a{i}[%by{i}]"
        lines.append(f"%p{i} = {moved} : ({pointer}, i64) -> {pointer}, i8")
    given = ", ".join(f"%p{i}" if steps[i] else f"%a{i}" for i in places)
    kinds = ", ".join([pointer] * len(steps))
    lines.append(f'llvm.call @"{sample}"({given}) : ({kinds}) -> ()')
    lines += ["%next = llvm.add %i, %one : i64", "llvm.br ^head(%next : i64)"]
    lines += ["^end:", "llvm.return"]
    takes = ", ".join(
        [*(f"%a{i}: {pointer}" for i in places), "%first: i64", "%n: i64"]
    )
    body = "\n".join(lines)
    return (
        f'llvm.func @"{sample}"({kinds})\n'
        f'llvm.func internal @"{sample}{ALL}"({takes}) {{\n{body}\n}}'
    )
