"""Which functions a program needs, found out by normalising it.

    objects of the model ─┐
    forward ──────────────┴▶ normalise ──"the body of @f?"──▶ lower @f ─┐
                                ▲                                       │
                                └───────────────────────────────────────┘

A model of a large library names thousands of functions: all methods of its classes, and
what these mention. What the model holds decides which of them a run calls, and to know
that takes the passes: `if self.config.use_cache` goes, and with it the calls inside. So
the level `source` is made in two steps.

1. *Asking.* The program begins with the entry and the objects. It is normalised, and a
   pass that needs a function's body asks for it: `dycl-inline-calls` where the call is
   sure to run, `dycl-import-calls` where it stands in an `if` that no constant decides.
   Attributes are assumed not to change; if what comes out still sets some, it is done
   again without assuming it of these (`dycl.ir.changes` says why that is right). What
   comes out is thrown away.
2. *Compiling.* `source` is the entry, all objects, and the functions that were asked
   for, in the order of asking. It is compiled as if it were read from a text. Now all
   that is set is in sight from the beginning, so some `if` may be left that was settled
   before; if a function behind it is asked for, `source` is made anew with this one.
   What may be set is all that the passes know of the whole program. So where no
   function sets anything, and nothing is refused, they would do the same as in the
   first step, and what came out of that is taken.

What libraries do to a model in its first call, once the program asks for that, is done
for the import, which begins anew then (`dycl.frontend.first_calls`).

So a function that nothing calls is never read, what it sets does not change, and what
cannot be said of it is not said. It is sound because a call without its function stays,
and is refused when it stands at the end: nothing is skipped.

Which functions were asked for is kept with the compiled programs, under the text of the
first step's beginning. `source` is made of these without asking; if the passes' result
for just that `source` is in the cache as well, the answer holds. If not, it is asked.
"""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline

from dycl.analysis.manager import AnalysisManager
from dycl.diag import (
    CodedError,
    CompileErrors,
    Note,
    Remark,
    collect_notes,
    collect_remarks,
    pass_on,
    pass_on_notes,
)
from dycl.driver.compilation import Compilation
from dycl.driver.program_cache import Known
from dycl.driver.unforeseen import refusal
from dycl.frontend import Importer
from dycl.frontend.first_calls import FirstCall
from dycl.ir import SetattrOp, UnsupportedOp
from dycl.ir.changes import (
    assume,
    attributes_set,
    changing_attributes,
    made_objects,
    object_of,
)
from dycl.ir.functions import entry_function
from dycl.ir.walking import walk
from dycl.universe import everything

T = TypeVar("T")


class OnDemand:
    """One model that is being imported for one compilation."""

    def __init__(self, make: Callable[[], Importer], model: object, run: Compilation):
        """`make` begins an import of `model`.

        Raises CompileErrors: `forward` has no source.
        """
        self.run = run
        self._first = FirstCall(model)
        self._make = make
        self.importer = begun(make)
        run.context.provider = self._provide
        self.changing: frozenset[str] = frozenset()
        """Attributes that are not only set to what they are."""
        self._before = perf_counter()
        self._asked: _Outcome | None = None
        self._whole: ModuleOp | None = None
        """The program at `source`, where another compilation's is known to be it."""

    def lowered(self, lower: Callable[[ModuleOp, Callable[[], bool]], T]) -> T:
        """What `lower` makes of the program at `source`, with all that it asks for.

        `lower` is given the program, and a function that says whether that has turned
        out to be all; else what it makes is thrown away. Raises what `lower` does.
        """
        try:
            return self._lowered(lower)
        finally:
            self._first.undo()

    def _lowered(self, lower: Callable[[ModuleOp, Callable[[], bool]], T]) -> T:
        with self.run.stage("source") as stage:
            key = self.run.key(self.importer.module())
            if key is None or not self._remembers(key):
                self._ask()
            stage.detail = self._detail()
        while True:
            taken = self.importer.taken
            module, self._whole = self._whole or self._module(), None
            self.run.keep("source", module)
            self._reuse(module)

            def is_whole(taken: tuple[str, ...] = taken) -> bool:
                return self.importer.taken == taken

            try:
                result = lower(module, is_whole)
            except CompileErrors:
                if is_whole():
                    raise
            else:
                if is_whole():
                    if key is not None and not self._first.is_done:
                        known = Known(list(taken), sorted(self.changing))
                        self.run.programs.put_known(key, known)
                    return result
            self._ask()

    def _reuse(self, module: ModuleOp) -> None:
        """Take what asking made of the program, where compiling would make the same."""
        asked, self._asked = self._asked, None
        if asked is None or attributes_set(module) or changing_attributes(module):
            return
        if any(isinstance(op, UnsupportedOp) for op in walk(asked.module)):
            return  # Where functions come late, another call may be the refused one.
        if self.run.reuse_normal(module, asked.module):
            pass_on(asked.remarks)
            pass_on_notes(asked.notes)

    def source(self) -> ModuleOp:
        """The program at `source`, with all that normalising it asks for."""
        with self.run.stage("source") as stage:
            taken = None
            try:
                while self.importer.taken != taken:
                    taken = self.importer.taken
                    self._ask()
                stage.detail = self._detail()
                module = self._module()
            finally:
                self._first.undo()
            self.run.keep("source", module)
        return module

    def _module(self) -> ModuleOp:
        module = self.importer.module()
        names = attributes_set(module) - self.changing
        return self.importer.module(names) if names else module

    def _remembers(self, key: str) -> bool:
        """Take what another compilation asked for, if its program is in the cache."""
        run = self.run
        if (known := run.programs.get_known(key)) is None:
            return False
        self.changing = frozenset(known.changing)
        if all(map(self.importer.take, known.functions)):
            self._whole = self._module()
            whole = run.key(self._whole)
            if whole is not None and run.programs.has(whole):
                return True
        self._whole = None
        self.importer, self.changing = begun(self._make), frozenset()
        return False

    def _ask(self) -> None:
        """Normalise the program, and take what that asks for.

        Again, as long as it sets attributes that were assumed not to change.
        """
        passes = self.run.normalising.load(everything().all_passes)
        self._asked = None
        while True:
            trial = self.importer.module()
            assume(trial, self.changing)
            # Nobody watches, and what is assumed here is no fact elsewhere.
            context = replace(
                self.run.context, watcher=None, analyses=AnalysisManager()
            )
            with ExitStack() as around:
                remarks = around.enter_context(collect_remarks())
                notes = around.enter_context(collect_notes())
                # The run that follows meets it again, and tells.
                around.enter_context(suppress(Exception))
                PassPipeline(passes, self.run.after_trial).apply(context, trial)
                self._asked = _Outcome(trial, remarks, notes)
            if self._first.settle(self.importer.taken):
                self.importer, self.changing = begun(self._make), frozenset()
                continue
            self.run.context.has_rolled |= context.has_rolled
            entry = entry_function(trial)
            left = [] if entry is None else [o for o in walk(entry)]
            writes = [o for o in left if isinstance(o, SetattrOp)]
            objects = made_objects(trial)
            missing = {
                o.attribute.data for o in writes if object_of(o.operand) not in objects
            }
            if missing <= self.changing:
                return
            self.changing |= missing
            self._asked = None

    def _provide(self, module: ModuleOp, symbol: str) -> bool:
        is_new = symbol not in self.importer.taken
        provided = begun(lambda: self.importer.provide(module, symbol))
        if provided and is_new:
            now, count = perf_counter(), len(self.importer.taken)
            listener = self.run.listener
            listener.step_done(count, count, symbol, now - self._before)
            self._before = now
        return provided

    def _detail(self) -> str:
        functions, objects = (
            len(self.importer.taken),
            len(self.importer.capture.objects),
        )
        return f"{functions} functions, {objects} objects"


@dataclass(frozen=True)
class _Outcome:
    """What came out of asking: the program at `normal`, and what passes said."""

    module: ModuleOp
    remarks: list[Remark]
    notes: list[Note]


def begun(make: Callable[[], T]) -> T:
    """What `make` reads. CompileErrors: what it cannot, also where it fails."""
    try:
        return make()
    except (CodedError, CompileErrors):
        raise
    except Exception as bug:
        if (refused := refusal(bug)) is not None:
            raise refused from bug
        raise
