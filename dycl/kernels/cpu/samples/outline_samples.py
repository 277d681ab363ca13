"""`cpu-outline-samples`: what is done with each sample alone becomes a kernel of one.

All steps then see sizes that are known, and do with the sample what they would do with
a batch of one, bit by bit. `cpu-call-samples` calls it in a loop. Where
`dycl.schedules.samples` says that several read large weights together in less time, a
second function does so with each whole group of them, and that of one with the rest.

A batch of a known size stays as it is, unless its images leave the caches between two
layers: there it is done in the same way, by the samples or groups that take least time.

Before:
    func.func @k(%x: tensor<?x64x28x28xf32>, %w) {
      %n = tensor.dim %x, 0
      %i = tensor.empty(%n) : tensor<?x64x28x28xf32>
      %y = linalg.conv_2d_nchw_fchw ins(%x, %w) outs(%i)

After:
    func.func @k(%x: tensor<?x64x28x28xf32>, %w) {
      %n = tensor.dim %x, 0
      %i = tensor.empty(%n) : tensor<?x64x28x28xf32>
      %y = linalg.generic {dycl.sample_of = @k.sample.0} ins(%x, %w) outs(%i)

    func.func @k.sample.0(%x: tensor<1x64x28x28xf32>, %w) {
      %y = linalg.conv_2d_nchw_fchw ins(%x, %w) outs(...)

    // of large weights, in groups of 8:
      %g = linalg.generic {dycl.sample_of = @k.sample.0.group, dycl.sample_group = 8}
        ins(%x, %w) outs(%i)
      %y = linalg.generic {dycl.sample_of = @k.sample.0, dycl.sample_behind = 8}
        ins(%x, %w) outs(%g)

Needs:  linalg on tensors, named ops; to stand before all that asks for known sizes.
Leaves: products of a batch with a matrix, `linalg.matmul`, and of single rows with one
        weight, which are faster together; sizes of other dimensions as they were.
Skips:  parts without a convolution, a pool, an attention or a batched product; parts
        whose sizes do not all become known; batches of known size without convolutions
        and pools, and their products.
"""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.build import function as build_function
from dycl.kernels.cpu.build import index
from dycl.kernels.cpu.check import kernel_name
from dycl.kernels.cpu.mlir import functions, ir, ops, run_passes
from dycl.kernels.cpu.samples.fixed_batches import fixed_batches
from dycl.kernels.cpu.samples.layers import layers_of
from dycl.kernels.cpu.samples.marked import EACH, SAMPLE, Which, marked
from dycl.kernels.cpu.samples.regions import Batches, Region
from dycl.kernels.cpu.samples.sizes import batch_dim, counts_samples, is_batch
from dycl.kernels.cpu.weights.origins import WEIGHTS, WeightValues, outside_values
from dycl.schedules.samples import group_of, together


def outline_samples(module: Any) -> None:
    """Outline every part of a function that computes each sample alone."""
    for func in functions(module):
        if SAMPLE in func.attributes:
            continue
        body = func.regions[0].blocks[0].operations
        made = 0
        with func.location:
            if any(is_batch(v.type) for op in body for v in op.operands):
                made = _outline_dynamic(module, func)
            _outline_fixed(module, func, made)


def _outline_dynamic(module: Any, func: Any) -> int:
    """Outline batches whose size a run decides. How many parts are outlined."""
    if not Batches(func).regions():
        return 0
    _count_once(func, Batches(func))
    made = skipped = 0
    while len(regions := (found := Batches(func)).regions()) > skipped:
        region, weights = regions[skipped], WeightValues(func)
        group = together(layers_of(region.ops, weights, found.sizes))
        name = f"{kernel_name(func)}.sample.{made}"
        if _outline(module, func, found, region, name, group):
            made += 1
        else:
            skipped += 1
    return made


def _outline_fixed(module: Any, func: Any, made: int) -> None:
    """Outline batches of a known size, where samples or groups of them take less time
    one after the other."""
    skipped = 0
    while places := fixed_batches(func):
        found, weights = Batches(func, places), WeightValues(func)
        for region in found.regions()[skipped:]:
            layers = layers_of(region.ops, weights, found.sizes)
            count = found.sizes.count_of(region.ops[-1].results[0])
            assert count is not None
            group = group_of(layers, count)
            name = f"{kernel_name(func)}.sample.{made}"
            if group < count and _outline(module, func, found, region, name, group):
                made += 1
                break
            skipped += 1
        else:
            return


def _count_once(func: Any, found: Batches) -> None:
    """Ask once for each number of samples, where it is first known.

    A question in between would part what it asks about from what needs the answer.
    """
    questions = [op for op in found.ops if counts_samples(op)]
    first: dict[Any, Any] = {}
    for op in questions:
        root = found.sizes.of(op.results[0])
        if root not in first:
            first[root] = _first_count(func, found, found.sizes.members(root))
        op.results[0].replace_all_uses_with(first[root])
    for op in questions:
        op.erase()


def _first_count(func: Any, found: Batches, members: list[Any]) -> Any:
    block = func.regions[0].blocks[0]
    for argument in block.arguments:
        if argument in members:
            with ir.InsertionPoint.at_block_begin(block):
                return _count_of(argument)
    for op in found.ops:
        for value in () if counts_samples(op) else op.results:
            if value in members and not is_batch(value.type):
                return value
            if value in members:
                with ir.InsertionPoint.after(op):
                    return _count_of(value)
    raise AssertionError("what is asked about comes before the question")


def _count_of(batch: Any) -> Any:
    dim = batch_dim(batch.type)
    assert dim is not None
    return build.op("tensor.dim", [batch, index(dim)], ir.IndexType.get())


def _outline(
    module: Any, func: Any, found: Batches, region: Region, name: str, group: int
) -> bool:
    """Move one region to a function of its own, and to one of `group` samples, if that
    is more than one; False: its sizes stay unknown."""
    sample = _Sample(found, WeightValues(func), region)
    results = region.results()
    count = found.sizes.count_of(results[0])
    whole = sample.module(f"{name}.group", results, group) if group > 1 else None
    rest = None
    if whole is None or count is None or count % group:
        rest = sample.module(name, results)
        if rest is None:
            return False
        sample.add_to(module, rest)
    if whole is not None:
        sample.add_to(module, whole)
    last = region.ops[-1]
    with ir.InsertionPoint.after(last), last.location:
        counts = []
        if count is None:
            batch = next(v for v in sample.inputs if is_batch(v.type))
            counts.append(_count_of(batch))
        into = [build.op("tensor.empty", counts, value.type) for value in results]
        dims = map(found.sizes.dim_of, (*sample.inputs, *results))
        places = [-1 if dim is None else dim for dim in dims]
        calls: list[Any] = []
        if whole is not None:
            which = Which(group)
            calls.append(marked(f"{name}.group", sample.inputs, into, places, which))
            into = list(calls[-1].results)
        if rest is not None:
            which = Which(behind=group) if whole is not None else EACH
            calls.append(marked(name, sample.inputs, into, places, which))
    new = calls[-1]
    _move_behind(new, found.ops, region)
    for old, result in zip(results, new.results, strict=True):
        old.replace_all_uses_with(result)
    for op in reversed(region.ops):
        op.erase()
    for op in reversed(region.shared):
        if not any(list(result.uses) for result in op.results):
            op.erase()
    return True


def _move_behind(new: Any, body: list[Any], region: Region) -> None:
    """What needs a result of the region, and stands before its end, comes after it."""
    waiting = {result for op in region.ops for result in op.results}
    last = body.index(region.ops[-1])
    place = new
    for op in body[body.index(region.ops[0]) : last]:
        if op in region.ops or waiting.isdisjoint(outside_values(op)):
            continue
        waiting.update(op.results)
        op.move_after(place)
        place = op


class _Sample:
    """The function of one sample in the making."""

    def __init__(self, found: Batches, weights: WeightValues, region: Region):
        """Nothing is made yet."""
        self.sizes = found.sizes
        self.known = weights
        self.region = region
        self.count = region.ops[0].results[0]
        self.inputs: list[Any] = []
        """What the function takes, as values of the kernel."""
        self.weights: list[Any] = []
        """Those that are weights."""
        self._body: dict[Any, None] = {}
        """The kernel's ops that it repeats, in order."""
        for op in (*region.shared, *region.ops):
            self._take(op)

    def _take(self, op: Any) -> None:
        """Repeat an op, and what is needed for it."""
        if op in self._body:
            return
        for value in outside_values(op):
            producer = build.owner(value)
            if producer in self._body or value in self.inputs:
                continue
            if self._is_count(value):
                continue
            if producer is not None and self._is_repeated(producer, value):
                self._take(producer)
            else:
                self.inputs.append(value)
                if value in self.known and not self.sizes.is_batch(value):
                    self.weights.append(value)
        self._body[op] = None

    def _is_count(self, value: Any) -> bool:
        return isinstance(value.type, ir.IndexType) and self.sizes.are_same(
            value, self.count
        )

    def _is_repeated(self, producer: Any, value: Any) -> bool:
        """Whether a value comes of weights or constants: steps look for its op."""
        both = (*producer.operands, *producer.results)
        if producer not in self.region.shared and any(map(self.sizes.is_batch, both)):
            return False
        if producer.name in _CONSTANT:
            return all(
                (inner := build.owner(v)) is not None and inner.name in _CONSTANT
                for v in outside_values(producer)
            )
        return value in self.known

    def add_to(self, module: Any, alone: Any) -> None:
        """Add the function that `module()` has given."""
        (func,) = functions(alone)
        copy = func.clone(ir.InsertionPoint(module.body)).operation
        copy.attributes[SAMPLE] = ir.UnitAttr.get()
        del copy.attributes["llvm.linkage"]  # It is no nest.
        weights = [i for i, value in enumerate(self.inputs) if value in self.weights]
        if weights:
            copy.attributes[WEIGHTS] = ir.DenseI64ArrayAttr.get(weights)

    def module(self, name: str, results: list[Any], count: int = 1) -> Any:
        """The function, in a module of its own; None: a size stays unknown.

        `count`: how many samples it computes at once.
        """
        if not all(isinstance(v.type, ir.RankedTensorType) for v in self.inputs):
            return None
        taken = [self.sizes.with_samples(value, count) for value in self.inputs]
        given = [self.sizes.with_samples(value, count) for value in results]
        alone = ir.Module.create()
        with ir.InsertionPoint(alone.body):
            build_function(
                name, taken, given, lambda *a: self._written(a, results, count)
            )
        run_passes(alone, "canonicalize,cse")
        (func,) = functions(alone)
        is_known = all(
            value.type.has_static_shape
            for op in ops(func)
            for value in (*op.operands, *op.results)
            if isinstance(value.type, ir.RankedTensorType)
        )
        return alone if is_known else None

    def _written(
        self, arguments: Sequence[Any], results: list[Any], count: int
    ) -> list[Any]:
        new: dict[Any, Any] = {}
        number = index(count)
        is_fixed = not self.sizes.counts
        for value, argument in zip(self.inputs, arguments, strict=True):
            new[value] = argument if is_fixed else _cast(argument, value.type)
        for op in self._body:
            copy = op.clone().operation
            for inner in ops(copy):
                for place, value in enumerate(inner.operands):
                    if value in new:
                        inner.operands[place] = new[value]
                    elif self._is_count(value):
                        inner.operands[place] = number
            if is_fixed:
                self._resize(op, copy, count)
            new |= zip(op.results, copy.results, strict=True)
        return [
            _cast(new[value], self.sizes.with_samples(value, count))
            for value in results
        ]

    def _resize(self, op: Any, copy: Any, count: int) -> None:
        """Let the copy of an op on a batch of known size give so many samples."""
        for old, new in zip(op.results, copy.results, strict=True):
            new.set_type(self.sizes.with_samples(old, count))
        named = _SIZES.get(op.name)
        if named is not None and (dim := self.sizes.dim_of(op.results[0])) is not None:
            sizes = list(op.attributes[named])
            sizes[dim] = count
            copy.attributes[named] = build.ints(sizes)


_SIZES = {
    "tensor.expand_shape": "static_output_shape",
    "tensor.extract_slice": "static_sizes",
    "tensor.insert_slice": "static_sizes",
}
"""The attribute of an op that says sizes of what it gives, or of what it places."""

_CONSTANT = (
    "arith.constant",
    "arith.extf",
    "arith.truncf",
    "linalg.fill",
    "tensor.empty",
)


def _cast(value: Any, kind: Any) -> Any:
    return value if value.type == kind else build.op("tensor.cast", [value], kind)
