"""Straight lines: what the model does on one path, its decisions gone.

Engines without control flow run these, one for each path, known beforehand. Beside an
engine's own row they tell its kernels from its control flow. What decisions look at is
a result too: it would be dead code otherwise, and the line shorter than the path.
"""

import json
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from bench.peers.folding import folded
from bench.subjects import Subject


class Line:
    """A straight line as an exported program of functional ops."""

    def __init__(self, model: Callable[[], Any], inputs: tuple[Any, ...], note: Path):
        """`inputs`: those of the path. What is known of it is kept in the file `note`,
        so that the model is not run again for what is there already."""
        self.inputs = inputs
        self._model = model
        if note.exists():
            known = json.loads(note.read_text(encoding="utf-8"))
        else:
            wanted = self._traced[0]
            known = {"kept": wanted.kept, "count": wanted.count}
            note.write_text(json.dumps(known) + "\n", encoding="utf-8")
        self.kept: list[bool] = known["kept"]
        """Of each tensor of the model's result: whether it depends on the input."""
        self.count: int = known["count"]
        """How many tensors the program gives: those kept, then those decided on."""

    @property
    def program(self) -> torch.export.ExportedProgram:
        """The program itself."""
        return self._traced[1]

    @cached_property
    def _traced(self):
        wanted = _Wanted(self._model())
        with torch.no_grad():
            wanted(*self.inputs)
            if not wanted.asked:
                # As its user would export it, ops that engines look for kept whole.
                whole = _Plain(wanted.model, wanted.kept)
                return wanted, torch.export.export(whole, self.inputs)
            graph = make_fx(wanted, _error_on_data_dependent_ops=False)(*self.inputs)
            _forget_decisions(graph)
            return wanted, torch.export.export(graph, self.inputs)

    def like(self, answer: Any, tensors: list[torch.Tensor]) -> Any:
        """Tensors in the structure of eager's answer; its own where nothing depends."""
        given = iter(tensors)
        leaves, structure = tree_flatten(answer)
        found = [
            next(given).reshape(leaf.shape).to(leaf.dtype) if keep else leaf
            for leaf, keep in zip(leaves, self.kept, strict=True)
        ]
        return tree_unflatten(found, structure)


def traces(
    subject: Subject, folder: Path, make: Callable[[int, Line], Callable[..., Any]]
) -> Callable[..., Any]:
    """A run that finds a path's straight line by its input.

    `make(path, line)` gives what runs a line: tensors to a list of tensors. Batch norms
    are folded before.
    """
    model = cache(lambda: folded(subject.model, subject.inputs))
    runs = {}
    for path, inputs in enumerate(subject.inputs):
        line = Line(model, inputs, folder / f"trace_{path}.json")
        runs[id(inputs[0])] = make(path, line), line, subject.answers[path]

    def run_line(*inputs):
        run, line, answer = runs[id(inputs[0])]
        return line.like(answer, run(*inputs))

    return run_line


def _forget_decisions(graph):
    """Drop what reads a number, and all that only it needed."""
    for node in list(graph.graph.nodes):
        if node.target is torch.ops.aten._local_scalar_dense.default and not node.users:
            graph.graph.erase_node(node)
    graph.graph.eliminate_dead_code()
    graph.recompile()


class _Plain(torch.nn.Module):
    """A model that decides nothing, with those tensors that its input decides on."""

    def __init__(self, model, kept):
        super().__init__()
        self.model, self.kept = model, kept

    def forward(self, *inputs):
        leaves = tree_leaves(self.model(*inputs))
        return tuple(each for each, keep in zip(leaves, self.kept, strict=True) if keep)


class _Wanted:
    """A model whose result is a tuple of all that has to be computed of its input."""

    def __init__(self, model):
        self.model = model
        self.kept: list[bool] = []
        self.asked = False
        self.count = 0

    def __call__(self, *inputs):
        seen = _Depending(inputs)
        with seen:
            leaves = tree_leaves(self.model(*inputs))
        self.kept = [seen.depends(leaf) for leaf in leaves]
        found = [leaf for leaf, keep in zip(leaves, self.kept, strict=True) if keep]
        ids = {id(leaf) for leaf in found}
        asked = {id(each): each for each in seen.asked if id(each) not in ids}
        found += asked.values()
        self.count, self.asked = len(found), bool(seen.asked)
        return tuple(found)


class _Depending(TorchDispatchMode):
    """Which tensors are made of the input, and which of them decisions look at."""

    def __init__(self, inputs) -> None:
        super().__init__()
        self.asked: list[torch.Tensor] = []
        # With what each was made of; all are kept alive, so that ids differ.
        self._made = {id(leaf): (leaf, ()) for leaf in _tensors(inputs)}

    def depends(self, tensor) -> bool:
        """Whether it is made of the input."""
        return id(tensor) in self._made

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        given = [leaf for leaf in _tensors((args, kwargs)) if self.depends(leaf)]
        if func is torch.ops.aten.mul.Tensor and len(given) == 1:
            # A mask that is known on this path. MNN 3.6 is wrong about 1x1x1x1.
            other = args[1] if args[0] is given[0] else args[0]
            ones = isinstance(other, torch.Tensor) and bool((other == 1).all())
            if ones and out.shape == given[0].shape:
                return given[0]
        if given:
            made = {id(each): (each, given) for each in _tensors(out)}
            self._made = made | self._made
            if func is torch.ops.aten._local_scalar_dense.default:
                self._ask(given[0])
        return out

    def _ask(self, tensor):
        """Numbers are asked for, and not comparisons, which some engines lack."""
        if tensor.is_floating_point():
            self.asked.append(tensor)
            return
        for each in self._made[id(tensor)][1]:
            self._ask(each)


def _tensors(tree):
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]
