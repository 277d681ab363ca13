"""Programs of decisions and loops whose kernels are to be placed, drawn at random, and
what a call of them takes: the model of `dycl-place-kernels`, computed in another way.
"""

import itertools
import random
from collections import defaultdict
from dataclasses import dataclass, field

IMAGE, WEIGHT = "!torch.vtensor<[1,16,16,16],f32>", "!torch.vtensor<[16,16,3,3],f32>"
CONVERSION = 4 * 16 * 256 / 4e3
"""Microseconds of an image of so many bytes, at 4 GB/s."""
WISHES = {"conv": 1, "sigmoid": 0, "mul": 0, "sinh": -1}
"""Whether a kind of kernel wants images in blocks, does not care, or wants rows."""
BODIES = {
    "conv": (
        "%none = torch.constant.none\n%one = torch.constant.int 1\n"
        "%ones = torch.prim.ListConstruct %one, %one : (!torch.int, !torch.int) -> "
        "!torch.list<int>\n"
        "%z = torch.aten.conv2d %x, %w, %none, %ones, %ones, %ones, %one : "
        f"{IMAGE}, {WEIGHT}, !torch.none, !torch.list<int>, !torch.list<int>, "
        f"!torch.list<int>, !torch.int -> {IMAGE}"
    ),
    "sigmoid": f"%z = torch.aten.sigmoid %x : {IMAGE} -> {IMAGE}",
    "mul": f"%z = torch.aten.mul.Tensor %x, %y : {IMAGE}, {IMAGE} -> {IMAGE}",
    "sinh": f"%z = torch.aten.sinh %x : {IMAGE} -> {IMAGE}",
}
SIGNATURES = {
    "conv": [("x", IMAGE), ("w", WEIGHT)],
    "mul": [("x", IMAGE), ("y", IMAGE)],
}
ROUNDS = 8


@dataclass
class Launch:
    kernel: int
    reads: list[str]
    gives: str
    runs: float


@dataclass
class If:
    sides: list[list]
    """Statements; the second one may be empty."""
    ends: list[str]
    """What the sides hand on; of one: the first one returns it."""
    gives: str


@dataclass
class Loop:
    first: str
    item: str
    body: list
    last: str
    gives: str


@dataclass
class Program:
    kinds: list[str]
    times: list[dict[str, float]]
    counted: bool
    """Whether launches say how often they are run, as if by a profile."""
    body: list = field(default_factory=list)
    returned: str = "x"


class _Drawing:
    def __init__(self, seed, kinds):
        self.random = random.Random(seed)
        self.count = self.random.randint(1, 3)
        self.names = (f"v{number}" for number in itertools.count())
        ends = kinds[:1] * 2
        self.program = Program(
            [*(self.random.choice(kinds) for _ in range(self.count)), *ends],
            [self.times() for _ in range(self.count + 2)],
            self.random.random() < 0.5,
        )

    def first(self):
        return Launch(self.count, ["x"], next(self.names), 1.0)

    def last(self, read, runs):
        """What computes what is returned."""
        return Launch(self.count + 1, [read], next(self.names), runs)

    def times(self):
        others = self.random.sample(["toy", "other"], self.random.randint(0, 2))
        return {name: float(self.random.randint(1, 12)) for name in ["cpu", *others]}

    def block(self, known, runs, depth):
        """Statements that know some images; and the images that are known then."""
        body, known = [], list(known)
        for _ in range(self.random.randint(1, 4 - depth)):
            body.append(self.statement(known, runs, depth))
            if body[-1].gives:
                known.append(body[-1].gives)
        return body, known

    def statement(self, known, runs, depth):
        kind = self.random.choice(["launch", "if", "exit", "loop"]) if depth < 2 else ""
        counted = self.program.counted
        if kind in ("if", "exit"):
            share = self.random.choice([0.0, 0.125, 0.5, 1.0]) if counted else 0.5
            one, then = self.block(known, runs * share, depth + 1)
            if kind == "exit":
                one.append(self.last(self.random.choice(then), runs * share))
                return If([one, []], [one[-1].gives], "")
            two, other = self.block(known, runs * (1 - share), depth + 1)
            ends = [self.random.choice(then), self.random.choice(other)]
            return If([one, two], ends, next(self.names))
        if kind == "loop":
            rounds = self.random.choice([0.0, 1.5, 20.0]) if counted else ROUNDS
            first, item = self.random.choice(known), next(self.names)
            body, inside = self.block([*known, item], runs * rounds, depth + 1)
            return Loop(first, item, body, self.random.choice(inside), next(self.names))
        kernel = self.random.randrange(self.count)
        count = 2 if self.program.kinds[kernel] == "mul" else 1
        reads = [self.random.choice(known[-3:]) for _ in range(count)]
        return Launch(kernel, reads, next(self.names), runs)


def drawn(seed, kinds=("conv", "conv", "sigmoid", "mul", "sinh")):
    """Between a first and a last kernel, so that most images are between kernels."""
    drawing = _Drawing(seed, kinds)
    program, first = drawing.program, drawing.first()
    body, known = drawing.block([first.gives], 1.0, 0)
    runs = drawing.random.choice([0.0, 1.0]) if program.counted else 1.0
    last = drawing.last(known[-1], runs)
    program.body, program.returned = [first, *body, last], last.gives
    return program


def text(program):
    """The program at the level `hcfg`."""
    lines = [
        f"func.func @forward(%x: {IMAGE}, %p: !torch.bool) attributes {{dycl.entry}}",
        "{",
        f'%w = dycl.param "w" : {WEIGHT}',
        *_lines(program, program.body),
        f"dycl.return %{program.returned} : ({IMAGE}) -> () }}",
    ]
    for number, (kind, times) in enumerate(
        zip(program.kinds, program.times, strict=True)
    ):
        signature = SIGNATURES.get(kind, [("x", IMAGE)])
        given = ", ".join(f"%{name}: {type_}" for name, type_ in signature)
        known = ", ".join(f"{name} = {time} : f64" for name, time in times.items())
        lines += [
            f"func.func @k{number}({given}) -> {IMAGE} attributes "
            f"{{dycl.kernel, dycl.times = {{{known}}}}} {{",
            f"{BODIES[kind]}\nfunc.return %z : {IMAGE} }}",
        ]
    return "\n".join(lines)


def _lines(program, body):
    for one in body:
        match one:
            case Launch():
                kind, runs = program.kinds[one.kernel], ""
                given = [(name, IMAGE) for name in one.reads]
                given += [("w", WEIGHT)] * (kind == "conv")
                if program.counted:
                    runs = f"{{dycl.runs = {one.runs} : f64}} "
                yield (
                    f"%{one.gives} = dycl.launch @k{one.kernel}("
                    f"{', '.join(f'%{name}' for name, _ in given)}) {runs}: "
                    f"({', '.join(type_ for _, type_ in given)}) -> {IMAGE}"
                )
            case If(sides=[then, _], ends=[returned]):
                yield "dycl.if %p : !torch.bool {"
                yield from _lines(program, then)
                yield f"dycl.return %{returned} : ({IMAGE}) -> () }}"
            case If():
                yield f"%{one.gives} = dycl.if %p : !torch.bool -> ({IMAGE}) {{"
                ways = zip(one.sides, one.ends, ("} else {", "}"), strict=True)
                for side, end, behind in ways:
                    yield from _lines(program, side)
                    yield f"dycl.yield %{end} : ({IMAGE}) -> ()\n{behind}"
            case Loop():
                before = f"{one.item}_before"
                yield (
                    f"%{one.gives} = dycl.while carry(%{before} : {IMAGE} = "
                    f"%{one.first} : {IMAGE}) {{\n"
                    f"dycl.condition %p, %{before} : (!torch.bool, {IMAGE}) -> ()\n"
                    f"}} do(%{one.item}) {{"
                )
                yield from _lines(program, one.body)
                yield f"dycl.yield %{one.last} : ({IMAGE}) -> () }}"


def launches(body):
    for one in body:
        match one:
            case Launch():
                yield one
            case If():
                for side in one.sides:
                    yield from launches(side)
            case Loop():
                yield from launches(one.body)


def paths(body):
    """The ways through some statements: what is launched, and whether they return."""
    ways = [([], False)]
    for one in body:
        going = [launched for launched, ended in ways if not ended]
        ways = [way for way in ways if way[1]]
        for launched, (more, ended) in itertools.product(going, list(_ways(one))):
            ways.append((launched + more, ended))
    return ways


def _ways(one):
    match one:
        case Launch():
            yield [one], False
        case If():
            for side, end in itertools.zip_longest(one.sides, one.ends):
                returns = not one.gives and end is not None
                for launched, ended in paths(side):
                    yield launched, ended or returns
        case Loop():
            yield [], False
            inside = paths(one.body)
            rounds = [launched for launched, ended in inside if not ended]
            for launched in rounds:
                yield launched * ROUNDS, False
            for launched, ended in inside:
                if ended:
                    yield launched, True
                    for before in rounds:
                        yield before * ROUNDS + launched, True


class Images:
    """The images that stand in blocks while all is ours, by sets of names."""

    def __init__(self, program):
        self.program = program
        self.groups = {}
        rows = ["x", program.returned]
        for one in self._statements(program.body):
            match one:
                case Launch():
                    for index, name in enumerate(one.reads):
                        self._join(name, (one.kernel, index))
                    self._join(one.gives, (one.kernel, "gives"))
                case If(ends=[returned]):
                    rows.append(returned)
                case If():
                    self._join(*one.ends, one.gives)
                case Loop():
                    self._join(one.first, one.item, one.last, one.gives)
        rows = [self._group(name) for name in rows]
        votes = defaultdict(int)
        self.conversions = defaultdict(lambda: defaultdict(int))
        """Image -> index of a launch -> how many rows cost it."""
        self.launches = list(launches(program.body))
        for index, launch in enumerate(self.launches):
            wish = WISHES[program.kinds[launch.kernel]]
            for name in (*launch.reads, launch.gives):
                image = self._group(name)
                votes[image] += wish
                self.conversions[image][index] += wish > 0
        for image in list(self.conversions):
            if image in rows or votes[image] <= 0:
                del self.conversions[image]

    def _statements(self, body):
        for one in body:
            yield one
            for inner in getattr(one, "sides", [getattr(one, "body", [])]):
                yield from self._statements(inner)

    def _group(self, name):
        return self.groups.setdefault(name, frozenset([name]))

    def _join(self, *names):
        union = frozenset().union(*map(self._group, names))
        self.groups |= dict.fromkeys(union, union)

    def converted(self, where):
        """By launch, how many images are, where `where` says for each kernel."""
        counts = [0] * len(self.launches)
        for by_launch in self.conversions.values():
            kernels = [self.launches[index].kernel for index in by_launch]
            if all(where[kernel] == "cpu" for kernel in kernels):
                continue
            for index, count in by_launch.items():
                if where[self.launches[index].kernel] == "cpu":
                    counts[index] += count
        return counts


def takes(program, images, where):
    """Microseconds of a call on average."""
    counts, total = [0.0] * len(program.times), 0.0
    conversions = images.converted(where)
    for launch, converted in zip(images.launches, conversions, strict=True):
        counts[launch.kernel] += launch.runs
        total += launch.runs * converted * CONVERSION
    for kernel, (runs, times) in enumerate(zip(counts, program.times, strict=True)):
        total += max(runs, 0.001) * times[where[kernel]]
    return total


def path_takes(program, images, where, path):
    """Microseconds of a call that launches these."""
    by_launch = zip(images.launches, images.converted(where), strict=True)
    of = {id(one): n for one, n in by_launch}
    return sum(
        program.times[one.kernel][where[one.kernel]] + of[id(one)] * CONVERSION
        for one in path
    )
