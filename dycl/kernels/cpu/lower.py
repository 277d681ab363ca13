"""The pipeline of the CPU backend as data: torch -> linalg -> memref -> LLVM.

Each stage is a tuple of (step, reason). A step is a list of MLIR passes as text, or
one of our own rewrites. `lower` runs them; the text after each stage can be kept.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dycl.kernels.cpu.attention.fuse_attention import fuse_attention
from dycl.kernels.cpu.attention.generate_attention import generate_attention
from dycl.kernels.cpu.attention.write_attention import write_attention
from dycl.kernels.cpu.blocks.block_borders import block_borders
from dycl.kernels.cpu.blocks.block_contractions import block_contractions
from dycl.kernels.cpu.blocks.block_groups import block_groups
from dycl.kernels.cpu.blocks.block_matmuls import block_matmuls
from dycl.kernels.cpu.blocks.flatten_volumes import flatten_volumes
from dycl.kernels.cpu.blocks.keep_rows import keep_rows
from dycl.kernels.cpu.blocks.lower_blocks import lower_blocks
from dycl.kernels.cpu.blocks.pad_groups import pad_groups
from dycl.kernels.cpu.blocks.propagate_blocks import propagate_blocks
from dycl.kernels.cpu.blocks.split_phases import split_phases
from dycl.kernels.cpu.buffers.call_allocator import call_allocator
from dycl.kernels.cpu.buffers.compute_in_results import compute_in_results
from dycl.kernels.cpu.buffers.empty_arguments import empty_arguments
from dycl.kernels.cpu.buffers.fill_borders import fill_borders
from dycl.kernels.cpu.buffers.fold_collapsed_slices import fold_collapsed_slices
from dycl.kernels.cpu.buffers.guard_scatters import guard_scatters
from dycl.kernels.cpu.buffers.note_memory import memories, note_memory
from dycl.kernels.cpu.buffers.one_user_per_destination import one_user_per_destination
from dycl.kernels.cpu.buffers.pass_sizes import pass_sizes
from dycl.kernels.cpu.buffers.plan_workspace import plan_workspace, workspaces
from dycl.kernels.cpu.buffers.restrict_to_tensor import restrict_to_tensor
from dycl.kernels.cpu.buffers.results_to_arguments import results_to_arguments
from dycl.kernels.cpu.buffers.write_inside import write_inside
from dycl.kernels.cpu.code import part_symbol
from dycl.kernels.cpu.custom.inline_custom_kernels import inline_custom_kernels
from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.loops.allow_fma import allow_fma
from dycl.kernels.cpu.loops.cut_masked_stores import cut_masked_stores
from dycl.kernels.cpu.loops.expand_bf16 import expand_bf16
from dycl.kernels.cpu.loops.expand_math import expand_math
from dycl.kernels.cpu.loops.fold_transposes import fold_transposes
from dycl.kernels.cpu.loops.fuse_elementwise import fuse_elementwise
from dycl.kernels.cpu.loops.keep_loops import keep_loops
from dycl.kernels.cpu.loops.loop_order import loop_order
from dycl.kernels.cpu.loops.mark_wide_windows import mark_wide_windows
from dycl.kernels.cpu.loops.merge_sorts import merge_sorts
from dycl.kernels.cpu.loops.move_bits import move_bits
from dycl.kernels.cpu.loops.read_rows import read_rows
from dycl.kernels.cpu.loops.vector_loops import vector_loops
from dycl.kernels.cpu.loops.write_scans import write_scans
from dycl.kernels.cpu.mlir import MLIRError, run_passes, text_of
from dycl.kernels.cpu.nests.factor_products import factor_products
from dycl.kernels.cpu.nests.generate_nests import generate_nests
from dycl.kernels.cpu.nests.outline_nests import note_apart, outline_nests, take_nests
from dycl.kernels.cpu.nests.share_nests import share_nests
from dycl.kernels.cpu.nests.split_loops import split_loops
from dycl.kernels.cpu.nests.split_nests import note_threads, split_nests
from dycl.kernels.cpu.nests.transpose_squares import transpose_squares
from dycl.kernels.cpu.nests.winograd import winograd
from dycl.kernels.cpu.objects.pass_on_annotations import pass_on_annotations
from dycl.kernels.cpu.objects.pass_on_target import pass_on_target
from dycl.kernels.cpu.plain import PlainContraction, plain_contractions
from dycl.kernels.cpu.rows.row_programs import row_programs
from dycl.kernels.cpu.rows.write_norms import write_norms
from dycl.kernels.cpu.samples.call_samples import call_samples
from dycl.kernels.cpu.samples.collapse_reshapes import collapse_reshapes
from dycl.kernels.cpu.samples.lend_workspace import lend_workspace
from dycl.kernels.cpu.samples.loop_over_samples import loop_over_samples
from dycl.kernels.cpu.samples.outline_samples import outline_samples
from dycl.kernels.cpu.samples.prepare_samples import prepare_samples
from dycl.kernels.cpu.selection.keep_open_topk import keep_open_topk
from dycl.kernels.cpu.selection.select_topk import select_topk
from dycl.kernels.cpu.settings import Settings
from dycl.kernels.cpu.target import note_target
from dycl.kernels.cpu.torch_fixes.clamp_gathers import clamp_gathers
from dycl.kernels.cpu.torch_fixes.compare_in_element_type import (
    compare_in_element_type,
)
from dycl.kernels.cpu.torch_fixes.compare_ordered import compare_ordered
from dycl.kernels.cpu.torch_fixes.decompose import decompose
from dycl.kernels.cpu.torch_fixes.double_filters import double_filters
from dycl.kernels.cpu.torch_fixes.drop_asserts import drop_asserts
from dycl.kernels.cpu.torch_fixes.first_nan_wins import first_nan_wins
from dycl.kernels.cpu.torch_fixes.group_views import group_views
from dycl.kernels.cpu.torch_fixes.guard_divisions import guard_divisions
from dycl.kernels.cpu.torch_fixes.hide_literals import hide_literals
from dycl.kernels.cpu.torch_fixes.keep_self_comparison import keep_self_comparison
from dycl.kernels.cpu.torch_fixes.keep_topk import keep_topk
from dycl.kernels.cpu.torch_fixes.narrow_by_f32 import narrow_by_f32
from dycl.kernels.cpu.torch_fixes.narrow_by_i32 import narrow_by_i32
from dycl.kernels.cpu.torch_fixes.refuse_random import refuse_random
from dycl.kernels.cpu.torch_fixes.show_literals import show_literals
from dycl.kernels.cpu.torch_fixes.sort_nan_as_largest import sort_nan_as_largest
from dycl.kernels.cpu.torch_fixes.use_one_name import use_one_name
from dycl.kernels.cpu.torch_fixes.write_scatters import write_scatters
from dycl.kernels.cpu.weights.narrow_products import (
    narrow_products,
    note_matmul_dtype,
)
from dycl.kernels.cpu.weights.narrow_weights import narrow_weights, note_narrow
from dycl.kernels.cpu.weights.note_weights import note_weights
from dycl.kernels.cpu.weights.pair_halves import pair_halves
from dycl.kernels.cpu.weights.part_preparations import (
    take_parts,
    write_preparation,
)
from dycl.kernels.cpu.weights.split_products import split_products
from dycl.kernels.cpu.weights.split_weights import preparations, split_weights
from dycl.kernels.specs import PreparationSpec

Step = str | Callable[[Any], None]

LINALG: tuple[tuple[Step, str], ...] = (
    (note_weights, "attributes of arguments do not outlive the conversion"),
    (use_one_name, "`x & y` has a lowering under its other name"),
    (keep_self_comparison, "`x == x` finds NaN; torch-mlir folds it to true"),
    (double_filters, "torch-mlir cannot turn the weights of single channels"),
    (decompose, "torch-mlir's own constant in gelu is off by 2e-4"),
    (write_norms, "torch-mlir's own reads a row once more, and sums in f64"),
    (fuse_attention, "while a softmax is one op, and a product of matrices another"),
    (write_attention, "torch-mlir's own takes no mask that is broadcast"),
    (keep_topk, "torch-mlir makes it a stable sort; eager's is none"),
    (keep_open_topk, "so it does where a run decides how many are asked for"),
    (write_scatters, "torch-mlir's own makes a list of places, one for each element"),
    (group_views, "torch-mlir takes a flatten apart into a view with a size to guess"),
    (inline_custom_kernels, "it is not torch's from here on, as what it becomes"),
    (hide_literals, "before torch-mlir computes with them in its own way"),
    (
        "func.func(torch-reduce-op-variants,canonicalize,torch-recompose-complex-ops,"
        "torch-decompose-complex-ops,canonicalize)",
        "to the ops that have a lowering; recompose first, else unbind is lost",
    ),
    (group_views, "after what becomes a view; torch-mlir would guess its sizes"),
    (
        "torch-backend-to-linalg-on-tensors-backend-pipeline{allow-non-finites=true}",
        "types are all there, so the slow shape inference pipeline is left out",
    ),
    (show_literals, "arith computes with them as IEEE says"),
    (refuse_random, "a kernel is a function: its results repeat"),
    (drop_asserts, "they end loops early and are not what eager asks"),
    (guard_divisions, "a size that is left may be one of no elements"),
    (clamp_gathers, "a bad index must not read foreign memory"),
    (compare_in_element_type, "eager rounds the number; nothing is fused yet"),
    (compare_ordered, "comparisons and clamp agree with eager on NaN"),
    (sort_nan_as_largest, "sort agrees with eager on NaN"),
    (narrow_by_f32, "half floats from f64 without a library function"),
    (narrow_by_i32, "small integers from floats wrap around, and NaN is 0"),
    (first_nan_wins, "max, min, argmax and argmin agree with eager on NaN"),
    (collapse_reshapes, "a shape that is computed hides what samples are"),
    ("canonicalize,cse", "what the asserts and shapes alone needed goes"),
    (outline_samples, "one sample has known sizes, which all steps below ask for"),
    (split_products, "before matrices are blocked: weights are cut into rows"),
    (factor_products, "before what takes all products"),
    (block_matmuls, "a weight is read from front to end"),
    (split_phases, "before a convolution takes the zeros between pixels for pixels"),
    (flatten_volumes, "planes and rows have steps of their own, depth has none"),
    (keep_rows, "while all that would be in blocks is a named op"),
    (winograd, "before what takes all convolutions"),
    (block_contractions, "channels side by side are the lanes of a vector"),
    (pad_groups, "groups become of a size that makes blocks"),
    (block_groups, "the same for groups of channels"),
    (block_borders, "before blocks move: those at the border meet them"),
    (propagate_blocks, "between two blocked ops nothing is packed and unpacked"),
    ("canonicalize,cse", "one pack for all who want the same"),
    (narrow_products, "before what takes weights of few rows only"),
    (pair_halves, "what was bf16 is known to be until it is fused into others"),
    (narrow_weights, "weights are in blocks, and not prepared yet"),
    (prepare_samples, "a kernel's weights are prepared in one place"),
    (split_weights, "before arithmetic on weights is fused into loops over images"),
)
FIRST_OF_THE_CPU: Step = outline_samples
"""The steps before it make of torch's ops what eager computes, for any machine."""

MEMREF: tuple[tuple[Step, str], ...] = (
    (fold_transposes, "before named ops become loops: weights stay in place"),
    (
        fuse_elementwise,
        "one loop for a chain of elementwise ops; contractions are still named ops or "
        "marked, and never fused into, so nothing is computed twice",
    ),
    (lower_blocks, "after fusion, which would take a copy for an elementwise op"),
    (mark_wide_windows, "they need another order of loops"),
    (loop_order, "the innermost loop runs along rows, which LLVM can vectorise"),
    (fold_collapsed_slices, "while slices are tensors; nothing is fused from here on"),
    (results_to_arguments, "the caller owns the results"),
    (
        "func.func(refback-generalize-tensor-pad,refback-generalize-tensor-concat,"
        "tm-tensor-bufferize)",
        "ops that one-shot-bufferize does not know",
    ),
    (one_user_per_destination, "else two results may get one memory"),
    (restrict_to_tensor, "else one-shot-bufferize refuses scans and sorts"),
    (
        "eliminate-empty-tensors,empty-tensor-to-alloc-tensor,"
        "one-shot-bufferize{bufferize-function-boundaries=1"
        " function-boundary-type-conversion=identity-layout-map},canonicalize,cse,"
        "canonicalize",
        "results are computed where the caller wants them",
    ),
    (compute_in_results, "while each buffer has an op that makes it"),
    (write_inside, "the op that fills a border is next to that which is inside"),
    (fill_borders, "the inside of padding is written by what is padded"),
    (call_samples, "the op says where buffers are, and calls take pointers"),
    (generate_attention, "it is marked as nests are, and not one of them"),
    (generate_nests, "while start value and epilogue stand beside their contraction"),
    (transpose_squares, "what no contraction reads where it stands"),
    (row_programs, "what is done with a row is done while it is in the cache"),
    (read_rows, "what no row program takes, and after indices were made to fit"),
    (vector_loops, "what no row takes: a branch that is seldom taken stays one"),
    (select_topk, "after the steps that look at ops, before buffers are freed"),
    (write_scans, "sums of a row stay in registers, before buffers are freed"),
    (guard_scatters, "of buffers, whose sizes can be asked for"),
    (merge_sorts, "after the steps that look at ops, before buffers are freed"),
    ("canonicalize", "buffers that were for the ops of a row only"),
    (
        "ownership-based-buffer-deallocation,canonicalize,"
        "buffer-deallocation-simplification,bufferization-lower-deallocations,"
        "cse,canonicalize,func.func(optimize-allocation-liveness)",
        "every buffer is freed, right after its last use",
    ),
    ("convert-bufferization-to-memref", "copies of what a kernel does not own"),
    (split_loops, "buffers can still be told apart, and it is said where they end"),
    (lend_workspace, "first what a sample needs, then what its caller does"),
    (plan_workspace, "now the text says where the life of each buffer ends"),
    (split_nests, "loops over tiles still have bounds that say how many"),
    (note_memory, "inputs still are buffers, and carry their sizes"),
    (pass_sizes, "bare pointers carry no sizes, and some results are the kernel's"),
    (empty_arguments, "memory of no bytes has no bare pointer in some shapes"),
    (outline_nests, "before equal ones are lowered and compiled; all is done to them"),
)

LLVM: tuple[tuple[Step, str], ...] = (
    (cut_masked_stores, "while masks are constants of vectors"),
    (expand_bf16, "while functions of bf16 can still become functions of f32"),
    (expand_math, "no call in a loop, so that it can be vectorised"),
    (allow_fma, "while it can still be seen which sums are reductions"),
    (
        "func.func(tm-tensor-to-loops,refback-munge-memref-copy,"
        "convert-linalg-to-loops),canonicalize,cse",
        "copies become loops too: memrefCopy is in no library that we have",
    ),
    (keep_loops, "a short row is a vector, not straight-line code"),
    (
        "expand-strided-metadata,lower-affine,convert-scf-to-cf,"
        "func.func(arith-expand,convert-math-to-llvm{approximate-log1p=false}),"
        "convert-math-to-libm",
        "structured control and mathematics to what LLVM has; log1p is libm's",
    ),
    (
        "convert-vector-to-llvm{enable-x86=1},"
        "expand-strided-metadata,lower-affine,finalize-memref-to-llvm,"
        "convert-index-to-llvm,func.func(convert-arith-to-llvm),"
        "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},convert-cf-to-llvm,"
        "convert-ub-to-llvm,"
        "reconcile-unrealized-casts,canonicalize,cse",
        "bare pointers at the border: a C program can call a kernel",
    ),
    (call_allocator, "memory of open sizes is asked for by name from here on"),
    (move_bits, "what blocks hand on is not rounded by LLVM"),
    (loop_over_samples, "arguments are bare pointers, which can be moved"),
    (pass_on_annotations, "where LLVM looks for them"),
    (share_nests, "arguments are bare pointers, which another thread can be given"),
    (pass_on_target, "functions that later steps made need it, too"),
)

STAGES = (("linalg", LINALG), ("memref", MEMREF), ("llvm", LLVM))


def step_name(step: Step) -> str:
    """How a step is called on a command line: a pass of MLIR's as it is written."""
    if isinstance(step, str):
        return step
    return f"cpu-{step.__name__.replace('_', '-')}"


def named_steps() -> dict[str, Step]:
    """Our own steps by name."""
    return {
        step_name(step): step
        for _, steps in STAGES
        for step, _ in steps
        if not isinstance(step, str)
    }


def run_step(module: Any, step: Step, verify: bool = True) -> None:
    """Run one step, and verify what it leaves. Raises MLIRError or Refused."""
    if isinstance(step, str):
        run_passes(module, step, verify)
    else:
        with module.context:
            step(module)
            if verify:
                module.operation.verify()


def _verify(module: Any, stage: str) -> None:
    try:
        module.operation.verify()
    except MLIRError as error:
        raise LoweringFailed(stage, error) from error


def note(module: Any, how: Settings) -> None:
    """Say on a module what its steps go by."""
    note_target(module, how.target)
    note_threads(module, how.threads)
    note_narrow(module, how.narrow)
    note_matmul_dtype(module, how.matmul_dtype)


class LoweringFailed(Exception):
    """A stage failed; `stage` is its name and `cause` MLIR's error."""

    def __init__(self, stage: str, cause: Exception):
        """Note the stage."""
        super().__init__(f"{stage}: {cause}")
        self.stage = stage
        self.cause = cause


@dataclass
class Lowered:
    """What is known of a module besides its code, when it has been lowered."""

    prepared: dict[str, PreparationSpec] = field(
        default_factory=dict[str, PreparationSpec]
    )
    """By kernel, how its weights are to be prepared."""
    plain: list[PlainContraction] = field(default_factory=list[PlainContraction])
    """The contractions that became plain loops."""
    workspaces: dict[str, int] = field(default_factory=dict[str, int])
    """By kernel, how many bytes of workspace it takes, if any."""
    memories: dict[str, str] = field(default_factory=dict[str, str])
    """By kernel, what it allocates: `dycl.ir.host.memory`."""
    parts: dict[str, Any] = field(default_factory=dict[str, Any])
    """By the digest of its recipe, what fills a buffer of a preparation that is taken
    apart: a module on tensors."""
    nests: dict[str, Any] = field(default_factory=dict[str, Any])
    """By symbol, the nests that kernels share: modules on memory."""


def lower(
    module: Any,
    how: Settings,
    keep: dict[str, str] | None = None,
    verify_each: bool = True,
    apart: str | None = None,
) -> Lowered:
    """Lower a checked module in the torch dialect to the LLVM dialect, in place.

    `keep` receives the text after each stage. Verified is what each step leaves, or
    what each stage does: a tenth faster, but a step of ours that errs may then end the
    process inside the next one. `apart`: the kernel whose preparation is taken out, in
    parts, and whose nests are. Raises LoweringFailed.
    """
    lowered = Lowered()
    note(module, how)
    if apart is not None:
        note_apart(module, str(how))
    for stage, _ in STAGES:
        run_stage(module, stage, how, verify_each)
        if stage == "linalg":
            lowered.prepared = preparations(module)
            lowered.plain = [p for p in plain_contractions(module) if "." in p.what]
            if apart in lowered.prepared:
                with module.context:
                    spec = lowered.prepared[apart]
                    lowered.parts = take_parts(module, apart, spec)
        if stage == "memref":
            lowered.nests = take_nests(module)
            lowered.plain += plain_contractions(module)
            lowered.workspaces = workspaces(module)
            lowered.memories = memories(module)
            if lowered.parts and apart is not None:
                symbols = {
                    digest: part_symbol(digest, str(how)) for digest in lowered.parts
                }
                write_preparation(module, apart, lowered.prepared[apart], symbols)
        if keep is not None:
            keep[stage] = text_of(module)
    return lowered


def run_stage(module: Any, stage: str, how: Settings, verify_each: bool) -> None:
    """Run the steps of a stage, and verify what it leaves. Raises LoweringFailed."""
    for step, _ in dict(STAGES)[stage]:
        if step_name(step) in how.without:
            continue
        try:
            run_step(module, step, verify_each)
        except (MLIRError, Refused) as error:
            raise LoweringFailed(stage, error) from error
    if not verify_each:
        _verify(module, stage)
