"""Random networks: a `Net` with methods, a called module, closures, and its forward."""

from random import Random

from .control import Control
from .newer import FROM, Newer
from .prelude import NEWER_PRELUDE, PRELUDE

STATE = {
    "self.calls": "I",
    "self.total": "F",
    "self.kept": "O",
    "self.last": "T",
    "self.seen": None,
}
"""Attribute that is kept from call to call -> its kind; None: it is never read."""


def write_program(seed):
    """The source of program `seed`: a class `Net` whose `forward` takes x, [1, 4]."""
    rng = Random(seed)
    rare = 0.25 if rng.random() < 0.1 else 0.0
    writer_of = Newer if seed >= FROM else Control
    parts = [NEWER_PRELUDE if seed >= FROM else PRELUDE]
    calls = {}
    if rng.random() < 0.6:
        for number in range(rng.choice((1, 1, 2))):
            text, kind, call = _callee(
                writer_of, rng, rare, "forward", {}, _state(rng, 0.15)
            )
            parts.append(f"\n\nclass Part{number}(Base):\n{text}")
            _add(calls, kind, call, f"self.part{number}")
    made = "".join(f"        self.part{n} = Part{n}()\n" for n in range(len(parts) - 1))
    init = (
        f"    def __init__(self):\n        super().__init__()\n{made}\n" if made else ""
    )
    parts.append(f"\n\nclass Net(Base):\n{init}")
    state = _state(rng, 0.25)
    if rng.random() < 0.5:
        text, kind, call = _callee(writer_of, rng, rare, "step", calls, state)
        parts.append(text + "\n")
        _add(calls, kind, call, "self.step")
    if rng.random() < 0.15:
        writer = _writer(writer_of, rng, rare, calls, {}, rng.randint(1, 3), state)
        writer.results = [rng.choice("TTTIF")]
        parts.append("    @property\n" + writer.function("def level(self):") + "\n")
        calls.setdefault(writer.results[0], []).append(("self.level", ""))
    writer = _writer(writer_of, rng, rare, calls, {"x": "T"}, rng.randint(7, 16), state)
    kinds = "TTTIIFFYYLLVDPRROUUZZXBNJMW"
    writer.results = [rng.choice(kinds) for _ in range(rng.choice((2, 3, 4)))]
    if rng.random() < 0.2:
        writer.results = ["Q"]
    writer.loose = rng.random() < 0.15
    parts.append(writer.function("def forward(self, x):"))
    way = WAYS[seed % len(WAYS)] if seed >= FROM else ""
    return way + "".join(parts)


WAYS = ("", 'CALLED = "rows"\n', 'CALLED = "sizes"\n')
"""How a network is compiled besides: its first line says so."""


def _state(rng, probability):
    """The attributes that a module sets when it is called."""
    if rng.random() > probability:
        return ()
    return tuple(rng.sample(sorted(STATE), rng.choice((1, 1, 2, 3))))


def _writer(writer_of, rng, rare, calls, env, budget, state):
    env = {**env, **{name: STATE[name] for name in state if STATE[name]}}
    writer = writer_of(rng, rare, calls, env, budget)
    writer.frozen = set(state)
    writer.state = state
    return writer


def _add(calls, kind, call, name):
    gaps, kinds = call
    calls.setdefault(kind, []).append((f"{name}({gaps})", kinds))


SIGNATURES = (
    ("x", {"x": "T"}, "{}", "T"),
    ("x", {"x": "T"}, "{}", "T"),
    ("xs", {"xs": "L"}, "{}", "L"),
    ("xs", {"xs": "L"}, "{}", "L"),
    ("x, more", {"x": "T", "more": "I"}, "{}, more={}", "TI"),
    ("x, more=2", {"x": "T", "more": "I"}, "{}", "T"),
    ("xs, more", {"xs": "L", "more": "T"}, "more={1}, xs={0}", "LT"),
    ("x, *, more=0.5", {"x": "T", "more": "F"}, "{}, more={}", "TF"),
    ("x, more", {"x": "T", "more": "L"}, "{}, {}", "TL"),
    ("xs, more", {"xs": "L", "more": "I"}, "{}, {}", "LI"),
    ("d", {"d": "D"}, "{}", "D"),
    ("x, *more", {"x": "T", "more": "V"}, "{}, {}, {}", "TTT"),
    ("x, *more", {"x": "T", "more": "V"}, "{}, *{}", "TL"),
    ("x, **more", {"x": "T", "more": "D"}, "{}, a={}", "TT"),
    ("x, **more", {"x": "T", "more": "D"}, "{}, **{}", "TD"),
    ("x, more=None", {"x": "T", "more": "O"}, "{}, {}", "TO"),
    ("x, more=None", {"x": "T", "more": "O"}, "{}", "T"),
    ("p", {"p": "P"}, "{}", "P"),
    ("z, more", {"z": "Z", "more": "Y"}, "{}, {}", "ZY"),
)
"""Parameters, their kinds, the arguments of a call with gaps, the kinds of the gaps."""


def _callee(writer_of, rng, rare, name, calls, state):
    """A method: its text, the kind of its result, how it is called."""
    parameters, env, gaps, kinds = rng.choice(SIGNATURES)
    writer = _writer(writer_of, rng, rare, calls, env, rng.randint(3, 8), state)
    writer.results = [rng.choice("TTTTLLIPYO")]
    text = writer.function(f"def {name}(self, {parameters}):")
    return text, writer.results[0], (gaps, kinds)
