"""What is refused: name -> (model, inputs, error code, words, the user's line)."""

import enum

import torch
from torch import nn
from torch.nn import functional as F

X = (torch.ones(1, 4),)


class Mode(enum.Flag):
    FAST = 1


class Level(enum.IntEnum):
    LOW = 1


class Side(str, enum.Enum):  # noqa: UP042  whose text is not its value, as a StrEnum's
    LEFT = "left"


class Method(nn.Module):
    """A model whose forward is a function of `self` and `x`."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.linear = nn.Linear(4, 4)
        self.register_buffer("count", torch.zeros(1))
        self.parts = {"a": slice(0, 2)}

    def forward(self, x):
        return self.function(self, x)


def unbound(self, x):
    if x.sum() > 0:
        y = x
    return x + y


def changes_one_of_two(self, x):
    y, z = self.linear(x), x + 1
    t = y if x.sum() > 0 else z
    t += 1
    return y, z


def writes_a_member(self, x):
    return f"{Side.LEFT}", x


def writes_what_a_member_is(self, x):
    return f"{Level.LOW!r}", x


def writes_a_list_of_members(self, x):
    return "%s, %s" % (1, [Level.LOW]), x  # noqa: UP031


def asks_for_the_text_of_members(self, x):
    return repr([Level.LOW]), x


def writes_a_field_of_a_member(self, x):
    return "{.name}".format(Level.LOW), x  # noqa: UP032


def writes_a_function(self, x):
    return f"{unbound}", x


def moves_statistics(self, x):
    mean, spread = self.count.expand(4).clone(), torch.ones(4)
    y = F.batch_norm(x.expand(2, 4), mean, spread, training=True)
    return y + mean if x.sum() > 0 else y


def raises(self, x):
    if x.sum() > 1000:
        error = ValueError("large")
        raise error
    return x


def function_from_data(self, x):
    return [F.relu, F.gelu, "c", "d"][x.argmax().item()]


def masked(self, x):
    return x[x[:, 0] > 0, x[0] > 0]


def random_mask(self, x):
    return x * torch.rand_like(x)


def training_dropout(self, x):
    return F.dropout(x, 0.5)


def returns_module_as_key(self, x):
    return {"x": [{("a", self.linear): x}]}


def returns_function(self, x):
    return x, F.relu


def slices_in_dict(self, x):
    return x[:, self.parts["a"]]


def returns_module(self, x):
    return x, self.linear


def uses_enum(self, x):
    return x if x.sum() > 0 and Mode.FAST | Mode.FAST else -x


def changes_what_an_iterator_is_of(self, x):
    parts = [x]
    places = enumerate(parts)
    parts.append(x * 2)
    for i, part in places:
        x = x + part * i
    return x


_MADE_BY_EXEC = {}
exec(
    "import torch\n"
    "class Made(torch.nn.Module):\n"
    "    def forward(self, x):\n"
    "        return x if x.sum() > 0 else -x\n",
    _MADE_BY_EXEC,
)


def _case(function, code, words, line, inputs=X):
    return lambda: Method(function).eval(), inputs, code, words, line


class ScriptModule(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    @torch.jit.script_method
    def forward(self, x):
        return self.fc(x)


_CHANGES = "this changes a tensor that is"

_TEXT = "the text of an object"
PROGRAMS = {
    f.__name__: _case(f, *rest)
    for f, *rest in [
        (unbound, "DY303", "`y` is read here", "return x + y"),
        (changes_one_of_two, "DY307", _CHANGES, "t += 1"),
        (writes_a_member, "DY301", _TEXT, 'f"{Side.LEFT}"'),
        (writes_what_a_member_is, "DY301", _TEXT, 'f"{Level.LOW!r}"'),
        (writes_a_list_of_members, "DY301", _TEXT, '"%s, %s"'),
        (asks_for_the_text_of_members, "DY301", _TEXT, "repr([Level.LOW])"),
        (writes_a_field_of_a_member, "DY301", _TEXT, '"{.name}"'),
        (writes_a_function, "DY301", _TEXT, 'f"{unbound}"'),
        (moves_statistics, "DY307", "this changes a tensor", "y = F.batch_norm"),
        (raises, "DY112", "is not known at compile time", "raise error"),
        (function_from_data, "DY301", "which item of a Python list", "[F.relu, F.g"),
        (masked, "DY301", "depends on the values", "x[x[:, 0] > 0"),
        (random_mask, "DY306", "draws random numbers", "torch.rand_like(x)"),
        (training_dropout, "DY306", "draws random numbers", "F.dropout(x, 0.5)"),
        (returns_function, "DY301", "`forward` returns a", "return x, F.relu"),
        (returns_module_as_key, "DY301", "has a key that is a module", "return {"),
        (slices_in_dict, "DY206", "holds a value of type slice", "self.parts"),
        (returns_module, "DY301", "`forward` returns a", "return x, self.linear"),
        (changes_what_an_iterator_is_of, "DY205", "changes a list", "parts.append"),
        (uses_enum, "DY301", "an operator of", "Mode.FAST | Mode.FAST"),
    ]
}
PROGRAMS |= {
    "training mode": (lambda: Method(masked), X, "DY120", "training mode", ""),
    "exec": (_MADE_BY_EXEC["Made"], X, "DY110", "`Made.forward` cannot be read", ""),
    "ScriptModule": (ScriptModule, X, "DY110", "TorchScript", ""),
    "TorchScript": (
        lambda: torch.jit.trace(nn.Linear(4, 4).eval(), X),
        *(X, "DY110", "TorchScript", ""),
    ),
}
PROGRAMS["exec"] = (lambda: _MADE_BY_EXEC["Made"]().eval(), *PROGRAMS["exec"][1:])
