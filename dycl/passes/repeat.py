"""`dycl-repeat`: runs passes in order, again and again, until nothing changes.

Before                           After
------                           -----
%p = dycl.compare eq %one, %one  dycl.return %x
dycl.if %p {
  dycl.return %x
}
%y = dycl.unary neg %x
dycl.return %y

Needs:  what the listed passes need; each must be able to run more than once.
Leaves: a module that none of the listed passes changes any more.
Skips:  nothing. It fails (DY291) if the module still changes after `max-rounds`.

The passes are written as in a pipeline; one with options stands in quotes:

    dycl-repeat{passes=dycl-inline-calls,"dycl-unroll-loops{max-trip-count=8}"}

A string may hold several (`passes="a,b{x=1}"`). Quotes cannot nest: a pass inside
takes its own string options without them (`mode=fast`). What xDSL prints for this
pass can be pasted back after `-p`.

Passes in `when-stable` run only when a round has changed nothing: the last resort, for
what costs more than it should where another pass is about to do better. If one of them
changes something, the rounds go on. They do not run once a value has been refused whose
paths take too many copies (DY302): the program is large by then, and stays refused.

Of the remarks only those of the last round are passed on: what an earlier round
left alone, a later one may have done.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.arg_spec import parse_pipeline

from dycl.analysis.manager import PassContext, same, state
from dycl.diag import PassFailed, collect_remarks, pass_on
from dycl.ir import UnsupportedOp
from dycl.ir.fingerprint import fingerprint
from dycl.ir.walking import walk
from dycl.passes import get_all_passes
from dycl.support.passes import made


@dataclass(frozen=True)
class RepeatPass(ModulePass):
    """Runs passes in order, again and again, until a whole round changes nothing."""

    name = "dycl-repeat"

    passes: tuple[str, ...]
    """The passes of one round, as in a pipeline; one with options is quoted."""

    max_rounds: int = 64
    """Rounds after which the passes are taken to undo each other."""

    when_stable: tuple[str, ...] = ()
    """Passes, written as above, for when a round has changed nothing.

    They run in order up to the first that changes something; then the rounds go on.
    """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Run rounds to the fixed point. PassFailed: none within `max_rounds`.

        The rounds are counted anew when a pass in `when_stable` has changed something;
        a program that they lead back to is no fixed point.
        """
        passes, last = self.load(), _load(self.when_stable)
        seen = _Seen(op)
        number = left = 0
        stable: list[list[object]] = []
        while left < self.max_rounds:
            number, left = number + 1, left + 1
            with collect_remarks() as remarks:
                _run_round(passes, ctx, op, number)
                changed = seen.has_changed(op)
                if not changed:
                    if seen.fingerprint in stable:
                        break
                    stable.append(seen.fingerprint)
                for item in () if changed or _is_too_large(op) else last:
                    _run_round((item,), ctx, op, number)
                    left = 0
                    if changed := seen.has_changed(op):
                        break
            if not changed:
                pass_on(remarks)
                return
        before_last, is_undone = _lines(op), left < self.max_rounds
        _run_round(last if is_undone else passes, ctx, op, number + 1)
        raise PassFailed(
            f"{len(passes)} passes "
            + (
                "undo what those in when-stable do"
                if is_undone
                else "still change the program when "
                f"max-rounds={self.max_rounds} of {self.name} is reached"
            ),
            _first_new(before_last, op),
            notes=[f"the passes are {','.join((*self.passes, *self.when_stable))}"],
            hint="raise max-rounds, or leave out the pass that undoes another",
            code="DY291",
        )

    def load(self) -> tuple[ModulePass, ...]:
        """The passes of one round. PassFailed: a name or an option is unknown."""
        return _load(self.passes)


class _Seen:
    """A module as it was when somebody last looked."""

    def __init__(self, module: ModuleOp):
        self.state = state(module)
        self.fingerprint = fingerprint(module)

    def has_changed(self, module: ModuleOp) -> bool:
        """Whether it is another program now than it was.

        What consists of the same objects is the same program; to see that is quick.
        """
        now = state(module)
        if same(now, self.state):
            return False
        before, self.fingerprint = self.fingerprint, fingerprint(module)
        self.state = now
        return before != self.fingerprint


def _is_too_large(module: ModuleOp) -> bool:
    """Whether `dycl-specialize-joins` has refused to copy any more of a program."""
    refused = (o for o in walk(module) if isinstance(o, UnsupportedOp))
    return any(op.code.data == "DY302" for op in refused)


def _load(names: tuple[str, ...]) -> tuple[ModulePass, ...]:
    all_passes = get_all_passes()
    specs = list(parse_pipeline(",".join(names)))
    if any(spec.name not in all_passes for spec in specs):
        all_passes |= Universe.get_multiverse().all_passes  # xDSL's and plugins'
    for spec in specs:
        if spec.name not in all_passes:
            raise PassFailed(f"there is no pass '{spec.name}' to repeat")
    return tuple(made(all_passes[spec.name](), spec) for spec in specs)


def _lines(module: ModuleOp) -> list[str]:
    """Each op without what is in its regions, and without the names of values."""
    return [
        f"{op.name} {op.properties} {op.attributes} {op.result_types} {op.location}"
        for op in walk(module)
    ]


def _first_new(before: list[str], module: ModuleOp) -> Operation | None:
    """The first op that a round has changed, or put where another was."""
    for op, line, old in zip(walk(module), _lines(module), before, strict=False):
        if line != old:
            return op
    return None


def _run_round(
    passes: tuple[ModulePass, ...], ctx: Context, op: ModuleOp, number: int
) -> None:
    watcher = ctx.watcher if isinstance(ctx, PassContext) else None
    for inner in passes:
        inner.apply(ctx, op)
        if watcher is not None:
            watcher(inner, op, number)
