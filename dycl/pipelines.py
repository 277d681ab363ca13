"""The phases: which passes run, in which order, and why. Data, and `Pipeline`, a value.

`str(Pipeline.parse("normalise,cse").expanded())` can be pasted after `dycl-opt -p`. A
phase may name phases. The order of lines is the order of passes; whoever moves one
checks the reason beside it and beside its neighbours.
"""

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

from xdsl.passes import ModulePass, get_pass_option_infos
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from dycl.support.passes import made


class Entry(NamedTuple):
    """One step of a phase: a pass, with options if need be, or another phase."""

    what: str
    why: str


NORMALISE_ROUND: tuple[Entry, ...] = (
    Entry("dycl-inline-calls", "first: bodies bring the loops and ifs to work on"),
    Entry("dycl-promote-objects", "at once: what was set says which calls come next"),
    Entry("dycl-return-lists", "before lists are followed: up to each return"),
    Entry("dycl-match-nodes", "before shapes: what a node has is of a known type"),
    Entry("dycl-roll-loops", "before they are unrolled"),
    Entry("dycl-unroll-loops", "each copy of a body knows which block it works on"),
    Entry("dycl-infer-shapes", "x.shape and x.dim() become constants to fold"),
    Entry("dycl-propagate-constants", "settles what the model object decides"),
    Entry("dycl-settle-writes", "after constants: what is set is known to be the same"),
    Entry("dycl-select-elements", "after constants: those elements are not chosen"),
    Entry("dycl-lower-switches", "at once: the other passes know ifs best"),
    Entry("dycl-propagate-constants", "what a switch decided is known in its arms"),
    Entry("dycl-resolve-tries", "before simplify-control, which takes its answer"),
    Entry("dycl-simplify-control", "ifs with a constant predicate lose a branch"),
    Entry("dycl-promote-objects", "again: there are fewer ifs now"),
    Entry("dycl-fold-sequences", "before they are split: a list again has items"),
    Entry("dycl-split-sequences", "its loops count, as those of the next pass"),
    Entry("dycl-lower-ranges", "after constants: a known range is unrolled instead"),
    Entry("dycl-scalarize-records", "a field read is an item of a tuple, as below"),
    Entry("dycl-expand-builtins", "before the lists that they read go"),
    Entry("dycl-forward-lists", "before the lists go: as tuples they can be split"),
    Entry("dycl-scalarize-aggregates", "list and dict elements become plain values"),
    Entry("dycl-carry-dicts", "after it: dicts that change are displays"),
    Entry("dycl-split-tuples", "after it: it makes tuples of the lists forwarded"),
    Entry("dycl-structure-exits", "after dead branches are gone: fewer exits to move"),
    Entry("dycl-eliminate-dead-code", "less to look at in the next round"),
    Entry("dycl-lift-state", "last: when all else is done, it waits no longer"),
)
"""What `normalise` repeats: each of these uncovers work for the others."""

NORMALISE_LAST: tuple[Entry, ...] = (
    Entry("dycl-import-calls", "first: what no constant decides is going to be called"),
    Entry("dycl-order-sets", "next: the program is as the constants leave it"),
    Entry("dycl-enumerate-attributes", "which of them is meant says what is called"),
    Entry("dycl-raise-failures", "paths that no run takes have nothing behind them"),
    Entry("dycl-keep-recursion", "nothing new is known: a run ends these recursions"),
    Entry("dycl-match-nodes{hand-on=true}", "nothing will ask whether these are None"),
    Entry("dycl-lower-slices", "before guesses: a loop over one can be unrolled"),
    Entry("dycl-guess-lengths", "before peeling: an iteration makes a list anew"),
    Entry("dycl-peel-loops", "leaves joins of loops entered and not to the next"),
    Entry("dycl-specialize-joins", "copies code, so only where all else has failed"),
    Entry("dycl-pair-dicts", "no copy of a path has a key that is known there"),
    Entry("dycl-carry-lists", "a list that is not known by now depends on data"),
)
"""What `normalise` tries when a round has changed nothing; then the rounds go on."""


def _repeat(steps: tuple[Entry, ...], when_stable: tuple[Entry, ...]) -> str:
    passes, last = (
        ",".join(f'"{step.what}"' if "{" in step.what else step.what for step in some)
        for some in (steps, when_stable)
    )
    return f"dycl-repeat{{passes={passes} when-stable={last}}}"


PHASES: dict[str, tuple[Entry, ...]] = {
    "normalise": (
        Entry("dycl-specialize-sizes", "first: each version is normalised by itself"),
        Entry(
            _repeat(NORMALISE_ROUND, NORMALISE_LAST),
            "to a fixed point: inlining uncovers loops, loops constants, these calls",
        ),
        Entry("dycl-make-tensor-ops", "now that what can be constant is"),
        Entry("dycl-eliminate-dead-code", "also when a round was cut short by -d"),
        Entry("dycl-check-normal", "says in a sentence what is not in normal form"),
    ),
    "type": (
        Entry("dycl-word-tensors", "before types are inferred: it reads numbers"),
        Entry("dycl-infer-shapes", "modules are expanded for known input shapes"),
        Entry("dycl-return-inputs", "before writes are followed: up to each return"),
        Entry(
            "dycl-repeat{passes=dycl-follow-writes max-rounds=512}",
            "before expansion: torch.aten ops are values; a sweep for each view",
        ),
        Entry("dycl-expand-number-tensors", "writes calls that are expanded next"),
        Entry("dycl-expand-modules", "leaf modules and functions become torch.aten"),
        Entry("dycl-eliminate-dead-code", "module values have no user any more"),
        Entry("dycl-regroup-rows", "torch.aten: its rules are for operations"),
        Entry("dycl-check-typed", "torch-mlir aborts the process on untyped IR"),
    ),
    "partition": (
        Entry("dycl-share-subexpressions", "before outlining: across decisions"),
        Entry("dycl-hoist-computation-free", "before outlining: no kernel for a view"),
        Entry("dycl-eliminate-dead-code", "what only dropped copies needed"),
        Entry("dycl-outline-branches", "straight-line tensor code becomes kernels"),
        Entry("dycl-share-kernels", "after outlining: equal blocks give equal kernels"),
        Entry("dycl-embed-literals", "after sharing: kernels take different literals"),
        Entry("dycl-mark-weights", "after sharing: at all launches of a shared kernel"),
        Entry("dycl-fold-batch-norm", "after the marks, and once for a shared kernel"),
        Entry("dycl-split-products", "before outlining: a sum has products to outline"),
        Entry("dycl-outline-products", "after folding: it parts kernels with weights"),
        Entry("dycl-batch-launches", "after folding: versions have the same weights"),
        Entry("dycl-widen-vectors", "after versions for rows: those have no vectors"),
        Entry("dycl-annotate-backends", "after folding: backends see what is left"),
        Entry("dycl-merge-backend-regions", "once each op says whose it is"),
        Entry("dycl-partition-backends", "before the host's buffers: parts pass some"),
        Entry("dycl-check-hcfg", "no tensor computation may be left on the host"),
    ),
    "host": (
        Entry("dycl-lower-host", "tensors become buffers; ifs stay what they are"),
        Entry("dycl-assign-layouts", "all uses of a buffer are in sight"),
        Entry("dycl-place-copies", "once layouts are known: copies do not change them"),
        Entry("dycl-plan-memory", "last that changes a buffer: one arena for all"),
        Entry("dycl-check-host", "printing Python and C needs every value in a buffer"),
    ),
    "segments": (Entry("dycl-mark-segments", "for a GPU: before the host is printed"),),
    "graph": (
        Entry("dycl-form-graph", "for a GPU: the host is complete, and stays, too"),
        Entry("dycl-form-switches", "chains that guards would break up"),
        Entry("dycl-guard-nodes", "last: it counts the nodes of an arm"),
    ),
    "workspaces": (
        Entry("dycl-plan-memory", "again: compiled kernels say what memory they need"),
    ),
    "default": (
        Entry("normalise", "Python values away, only data-dependent decisions left"),
        Entry("type", "shapes and dtypes, torch.aten"),
        Entry("partition", "kernels and host apart"),
        Entry("host", "the program that launches the kernels"),
    ),
}
"""Phase name -> its steps."""


LEVELS: dict[str, str] = {
    "normal": "dycl-check-normal",
    "typed": "dycl-check-typed",
    "hcfg": "dycl-check-hcfg",
    "host": "dycl-check-host",
}
"""Level -> the pass that ends the phase which leads to it; in order."""

REPEAT = "dycl-repeat"
_REPEATED = ("passes", "when-stable")
"""The options of `dycl-repeat` whose values are passes."""


class PipelineError(ValueError):
    """A pipeline is not well-formed, or names what does not exist."""


@dataclass(frozen=True)
class Pipeline:
    """Passes in order, each a name with its options; a value that never changes.

    What its methods are asked of a pass, they ask of the passes inside `dycl-repeat`
    too, unless they say otherwise.
    """

    items: tuple[ArgSpec, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """`a,b{x=1 y=2},normalise`. PipelineError: not well-formed."""
        try:
            return cls(_parsed(text))
        except (ArgSpecParseError, ValueError) as error:
            raise PipelineError(str(error).rstrip()) from error

    def __str__(self) -> str:
        """The text that `parse` reads as this."""
        return ",".join(map(_written, self.items))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all passes and phases, in order."""
        result: list[str] = []
        for item in self.items:
            result.append(item.name)
            for inner in _inner(item).values():
                result += inner.names
        return tuple(result)

    def expanded(self, without: Collection[str] = ()) -> Self:
        """Every phase replaced by its passes.

        Passes and phases in `without` are left out; a repetition with nothing left to
        repeat goes too. PipelineError: a phase is given options.
        """
        items: list[ArgSpec] = []
        for item in self.items:
            if item.name in without:
                continue
            if item.name not in PHASES:
                items += self._less(item, without)
            elif item.parameters:
                raise PipelineError(
                    f"'{item.name}' is a phase and takes no options: '{_written(item)}'"
                )
            else:
                for entry in PHASES[item.name]:
                    items += self.parse(entry.what).expanded(without).items
        return type(self)(tuple(items))

    def with_option(self, name: str, option: str, *values: float | str) -> Self:
        """The pass `name` is given an option wherever it has none of that name."""

        def change(item: ArgSpec) -> ArgSpec:
            parameters = dict(item.parameters)
            for key, inner in _inner(item).items():
                parameters[key] = inner.with_option(name, option, *values).quoted
            if item.name == name and option not in _dashed(parameters):
                parameters[option] = values
            return ArgSpec(item.name, parameters)

        return type(self)(tuple(map(change, self.items)))

    @property
    def quoted(self) -> tuple[str, ...]:
        """The items as `dycl-repeat` is given them."""
        return tuple(map(_written, self.items))

    def check(self, known: Collection[str]) -> None:
        """PipelineError, with a suggestion: a name is no pass and no phase."""
        for name in self.names:
            if name not in known and name not in PHASES:
                raise PipelineError(unknown_pass(name, known))

    def load(
        self, available: Mapping[str, Callable[[], type[ModulePass]]]
    ) -> tuple[ModulePass, ...]:
        """The passes; phases have to be expanded before.

        PipelineError: a pass or an option does not exist, or a value is of another
        type; also inside a repetition. What a loader raises.
        """
        self.check(available)
        result: list[ModulePass] = []
        for item in self.items:
            for inner in _inner(item).values():
                inner.load(available)
            try:
                result.append(made(available[item.name](), item))
            except ValueError as error:
                raise PipelineError(
                    f"{item.name}: {_about(item, available[item.name](), error)}"
                ) from error
        return tuple(result)

    def until(self, name: str) -> Self:
        """The passes up to the last `name`, a pass or a phase. PipelineError: there is
        none outside repetitions."""
        last = self._of_phase(name)[-1]
        places = self._indices(last, name)
        return type(self)(self.items[: places[-1] + 1])

    def since(self, name: str) -> Self:
        """The passes from the first `name` on, a pass or a phase. PipelineError: there
        is none outside repetitions."""
        first = self._of_phase(name)[0]
        places = self._indices(first, name)
        return type(self)(self.items[places[0] :])

    def by_level(self) -> "dict[str, Pipeline]":
        """The passes that lead from each level to the next: up to the level's check.

        PipelineError: a level is not reached, or not in order.
        """
        result: dict[str, Pipeline] = {}
        rest = self.items
        for level, check in LEVELS.items():
            names = [item.name for item in rest]
            if check not in names:
                raise PipelineError(
                    f"the pipeline does not reach the level '{level}': {check} is "
                    "missing, or stands before the check of an earlier level"
                )
            count = names.index(check) + 1
            result[level], rest = Pipeline(rest[:count]), rest[count:]
        result["host"] = Pipeline((*result["host"].items, *rest))
        return result

    def _of_phase(self, name: str) -> list[str]:
        if name not in PHASES:
            return [name]
        return [item.name for item in Pipeline.parse(name).expanded().items]

    def _indices(self, name: str, asked: str) -> list[int]:
        result = [i for i, item in enumerate(self.items) if item.name == name]
        if not result:
            hint = suggestion(asked, [*self.names, *PHASES])
            if name in self.names:
                hint = " outside dycl-repeat, which is one step: ask for that"
            raise PipelineError(f"the pipeline has no '{asked}'{hint}")
        return result

    def _less(self, item: ArgSpec, without: Collection[str]) -> list[ArgSpec]:
        """An item less what is left out of its repetition."""
        parameters = dict(item.parameters)
        for key, inner in _inner(item).items():
            parameters[key] = inner.expanded(without).quoted
            if not parameters[key]:
                del parameters[key]
        is_empty = item.name == REPEAT and "passes" not in parameters
        return [] if is_empty else [ArgSpec(item.name, parameters)]


def expand(spec: str, without: Collection[str] = ()) -> str:
    """The passes of a pipeline with every phase replaced, both as text.

    PipelineError: see `Pipeline.parse` and `Pipeline.expanded`.
    """
    return str(Pipeline.parse(spec).expanded(without))


def unknown_pass(name: str, passes: Iterable[str]) -> str:
    """The sentence for a name that no pass and no phase has."""
    hint = suggestion(name, [*passes, *PHASES]) or "; see dycl-opt --list-passes"
    return f"there is no pass '{name}'{hint}"


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean ...?` with the closest name, or ``."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


@lru_cache(maxsize=1024)
def _parsed(text: str) -> tuple[ArgSpec, ...]:
    """The phases are the same texts in each compilation, and nobody changes items."""
    return tuple(parse_pipeline(text))


def _inner(item: ArgSpec) -> dict[str, Pipeline]:
    """The passes that a repetition is given, by option."""
    if item.name != REPEAT:
        return {}
    return {
        key: Pipeline.parse(",".join(map(str, values)))
        for key, values in item.parameters.items()
        if key.replace("_", "-") in _REPEATED
    }


def _dashed(names: Iterable[str]) -> set[str]:
    return {name.replace("_", "-") for name in names}


def _about(item: ArgSpec, cls: type[ModulePass], error: ValueError) -> str:
    """What is wrong with the options of an item, in the words of the command line."""
    known = {info.name.replace("_", "-") for info in get_pass_option_infos(cls)}
    for name in item.parameters:
        if (dashed := name.replace("_", "-")) not in known:
            has = ", ".join(sorted(known)) or "none"
            hint = suggestion(dashed, known)
            return f"there is no option '{dashed}'{hint} (options: {has})"
    return str(error)


def _written(item: ArgSpec) -> str:
    options = " ".join(
        f"{name}={','.join(map(_value, values))}" if values else name
        for name, values in item.parameters.items()
    )
    return f"{item.name}{{{options}}}" if options else item.name


def _value(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and (
        _BARE.fullmatch(value) is None or value in ("true", "false")
    ):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)


_BARE = re.compile(r"[A-Za-z_][\w-]*")
