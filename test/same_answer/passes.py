"""Run passes on random programs and say where the answer changes."""

from collections import Counter
from importlib.util import find_spec
from itertools import takewhile

from xdsl.utils.exceptions import VerifyException

from dycl.analysis.manager import same, state
from dycl.diag.errors import CodedError, CompileErrors
from dycl.ir.cloning import clone
from dycl.ir.verify import verify_dominance, verify_locations
from dycl.ir.walking import walk
from dycl.passes import PASSES
from dycl.pipelines import PHASES, REPEAT, Pipeline
from dycl.tools.same import decision_places, difference, new_context, run_program
from dycl.universe import everything

EXISTING = tuple(
    name
    for name, where in PASSES.items()
    if find_spec(f"dycl.passes.{where.split(':')[0]}") is not None
)


def passes_of(phase):
    """The passes of a phase, those inside `dycl-repeat` too, each once."""
    names = dict.fromkeys(Pipeline.parse(phase).expanded().names)
    return [name for name in names if name != REPEAT]


def phases_that_exist():
    """The phases of `default`, in order, up to the first with a pass missing."""
    found = []
    for entry in PHASES["default"]:
        if not set(passes_of(entry.what)) <= set(EXISTING):
            break
        found.append(entry.what)
    return found


def _outcomes(module, weights, inputs):
    return [run_program(module, values, weights) for values in inputs]


_STARTS = {}
"""Program -> its module at the level `source`, its weights, and its answers.

Each test of this folder draws the same programs, for another pass.
"""


def _start(program):
    key = program.text_with_inputs
    if key not in _STARTS:
        module, weights = program.source_level()
        _STARTS[key] = module, weights, _outcomes(module, weights, program.inputs)
    return _STARTS[key]


_REACHED = {}
"""Program and phases -> the module that these make of it; None: they refuse it."""


def _reached(program, phases):
    """The module after whole phases; a program is drawn for a pass of each phase."""
    if not phases:
        return _start(program)[0]
    key = program.text_with_inputs, phases
    if key not in _REACHED:
        module = _reached(program, phases[:-1])
        phase = Pipeline.parse(phases[-1]).expanded()
        _REACHED[key] = module and _passed(clone(module), phase)
    return _REACHED[key]


def _passed(module, pipeline, watcher=lambda *_: None):
    """The module, after these passes; None: one of them refuses it."""
    context = new_context()
    context.watcher = watcher
    try:
        for one in pipeline.load(everything().all_passes):
            one.apply(context, module)
            watcher(one, module, 0)
    except (CodedError, CompileErrors):
        return None
    return module


class Comparison:
    """A program's answers before any pass, to compare with those after."""

    def __init__(self, program):
        self.program = program
        module, self.weights, self.before = _start(program)
        self.module = clone(module)
        self.sides = Counter()
        self.places = None
        """Where decisions may be; None: where they were, and nowhere else."""
        self._checked = []

    def outcomes(self):
        """What the module gives now, for each of the inputs."""
        return _outcomes(self.module, self.weights, self.program.inputs)

    def run(self, pipeline, without=(), at_each_step=True):
        """Run passes; says whether none of them refused the program.

        With `at_each_step` the answers are compared after every pass, else at the end.
        Where a pass is left out, a loop over a list may have become a decision.
        """
        if without:
            self.places = decision_places(self.module)
        phases = pipeline.split(",")
        if at_each_step:
            watcher = self.check_after
        else:
            watcher = lambda *_: None  # noqa: E731
            whole = takewhile(lambda p: not {*without} & {*passes_of(p)}, phases[:-1])
            whole = tuple(whole)
            module = _reached(self.program, whole)
            if module is None:
                return False
            self.module, phases = clone(module), phases[len(whole) :]
        rest = Pipeline.parse(",".join(phases)).expanded(without)
        if _passed(self.module, rest, watcher) is None:
            return False
        self.check("the pipeline")
        return True

    def check_after(self, done, module, number):
        """Compare after one pass, in one round of `dycl-repeat`."""
        assert module is self.module
        self.check(f"{done.name}, round {number}" if number else done.name)

    def check(self, done):
        """Fail unless the module is valid and its answers are those before.

        Most passes change nothing in most rounds: what was right is so still.
        """
        now = [*state(self.module), *(op.location for op in walk(self.module))]
        if same(now, self._checked):
            return
        try:
            self.module.verify()
            verify_dominance(self.module)
            verify_locations(self.module, done)
        except VerifyException as error:
            raise AssertionError(f"after {done}: {error}\n{self.module}") from error
        for number, (old, new) in enumerate(
            zip(self.before, self.outcomes(), strict=True)
        ):
            found = difference(old, new, locations=self.places)
            assert found is None, f"after {done}, input {number}: {found}"
            for decision in new.result.path if new.result else ():
                self.sides[decision.location, decision.taken] += 1
        self._checked = now


class Tally:
    """Over many programs: how many were refused, and which sides were taken."""

    def __init__(self):
        self.programs = 0
        self.refused = 0
        self.places = 0
        self.both = 0

    def add(self, comparison, accepted):
        """Count one program."""
        self.programs += 1
        self.refused += not accepted
        sides = comparison.sides
        places = {place for place, _ in sides}
        self.places += len(places)
        self.both += sum(1 for p in places if sides[p, True] and sides[p, False])

    def check(self, refused=0.1, both=0.5):
        """Most programs were compiled, and most decisions went both ways."""
        assert self.refused <= refused * self.programs, vars(self)
        assert self.both >= both * self.places, vars(self)
