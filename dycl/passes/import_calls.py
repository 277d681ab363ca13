"""`dycl-import-calls`: functions whose calls still stand are put into the module.

Before                                           After
------                                           -----
%y = dycl.call %deep(%x) {dycl.awaits = "deep"}  %y = dycl.call %deep(%x)
dycl.return %y                                   dycl.return %y
                                                 func.func @deep(%a) {
                                                   dycl.return %a
                                                 }

Which functions a program needs shows only as it is normalised: an `if` on what the
model holds loses a side, and with it calls. So `dycl-inline-calls` asks at once for the
functions of calls that are sure to run, and leaves the others; this pass asks for these
when a round has changed nothing, and so only what depends on data is undecided. Calls
in the fewest `if`s come first: what they give may decide the others.

Needs:  `dycl-inline-calls` has noted which calls wait for a function.
Leaves: the functions of at least one of these calls, if there is any.
Skips:  a program that was read from a text: what it lacks is nowhere.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dycl.analysis.manager import provider_of
from dycl.ir.demand import awaited, ifs_around
from dycl.ir.functions import entry_function
from dycl.ir.walking import walk


@dataclass(frozen=True)
class ImportCallsPass(ModulePass):
    """Functions whose calls still stand are put into the module."""

    name = "dycl-import-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Add functions; raises what reading their source does."""
        entry = entry_function(op)
        if entry is None:
            return
        waiting: dict[int, dict[str, None]] = {}
        for inner in walk(entry):
            if (symbol := awaited(inner)) is not None:
                waiting.setdefault(ifs_around(inner), {})[symbol] = None
        provide = provider_of(ctx)
        for _, symbols in sorted(waiting.items()):
            if any([provide(op, symbol) for symbol in symbols]):
                return
