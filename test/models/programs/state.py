"""Networks that set attributes while they run: temporaries, memory, statistics."""

import torch
from torch import nn


class Temporaries(nn.Module):
    """Attributes written and read within one call; a list that is made anew."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.h = None
        self.outs = []

    def forward(self, x):
        self.outs = []
        self.h = self.fc(x)
        self.outs.append(self.h)
        if self.h.sum() > 0:
            self.h = self.h * 2
            self.outs.append(self.h)
        else:
            self.outs.append(self.h - 1)
        return self.h + 1, self.outs[1]


class Counters(nn.Module):
    """A number, a flag, a tensor and two buffers from call to call."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.calls = 0
        self.scale = 1.0
        self.odd = False
        self.acc = torch.zeros(1, 4)
        self.register_buffer("running", torch.zeros(4))
        self.register_buffer("count", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.calls += 1
        self.count += 1
        self.odd = not self.odd
        self.acc = self.acc * 0.5 + self.fc(x)
        self.running.mul_(0.9).add_(0.1 * self.acc[0])
        if self.calls % 3 == 0:
            self.acc = torch.zeros(1, 4)
            self.scale = self.scale * 0.5
        if self.odd:
            return self.acc + self.running
        if self.acc.sum() > 0:
            return self.acc - self.calls
        return self.acc * self.scale


class Hidden(nn.Module):
    """None at first, then a tensor; a list that only grows."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)
        self.hidden = None
        self.log = []

    def forward(self, x):
        if self.hidden is None:
            self.hidden = torch.zeros_like(x)
        h = torch.tanh(self.fc(torch.cat([x, self.hidden], 1)))
        self.log.append(h)
        self.hidden = h
        if h.mean() > x.mean():
            return h
        return -h


class Cell(nn.Module):
    """Keeps the state of an LSTM cell on itself."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTMCell(4, 4)
        self.init_hidden()

    def init_hidden(self):
        self.hidden = (torch.zeros(1, 4), torch.zeros(1, 4))

    def forward(self, x):
        self.hidden = self.lstm(x, self.hidden)
        return self.hidden[0]


class StateInSubmodule(nn.Module):
    """A submodule remembers; when its memory is large it is forgotten."""

    def __init__(self):
        super().__init__()
        self.control = Cell()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        h = self.control(x)
        if h.abs().max() > 0.4:
            self.control.init_hidden()
            return self.fc(x)
        return self.fc(x) + h


class UpdatesInLoop(nn.Module):
    """Attributes that a loop sets whose length depends on the state."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.last = torch.ones(1, 4)
        self.steps = 0

    def forward(self, x):
        self.last = self.last * 0.5 + x
        while self.last.abs().sum() > 2:
            self.last = torch.tanh(self.fc(self.last)) * 0.6
            self.steps += 1
            if self.steps % 5 == 0:
                break
        return self.last, self.steps


class Exits(nn.Module):
    """What was set before an early exit stays; what stands behind it is not done."""

    def __init__(self):
        super().__init__()
        self.fc = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.seen = 0
        self.feature = None

    def forward(self, x):
        scores = x[0]
        for i, fc in enumerate(self.fc):
            x = torch.relu(fc(x))
            self.feature = x
            self.seen += 1
            if scores[i] > 0.3:
                return x
        self.seen += 100
        return x * 2


class Settings:
    """A plain object that the model holds."""

    def __init__(self):
        self.threshold = 0.5
        self.table = {"hits": 0, "last": None}


class PlainObject(nn.Module):
    """State on an object that is no module, in a dict, and under a computed name."""

    def __init__(self):
        super().__init__()
        self.settings = Settings()
        self.fc = nn.Linear(4, 4)
        self.h0 = torch.zeros(1, 4)
        self.h1 = torch.zeros(1, 4)

    def forward(self, x):
        y = self.fc(x)
        if y.mean() > self.settings.threshold:
            self.settings.threshold = self.settings.threshold + 0.1
            self.settings.table["hits"] += 1
        else:
            self.settings.threshold = self.settings.threshold * 0.9
        for i in range(2):
            setattr(self, f"h{i}", getattr(self, f"h{i}") * 0.5 + y * i)
        return y + self.h0 + self.h1, self.settings.table["hits"]


class Swap(nn.Module):
    """Two attributes change places: both are read before either is set."""

    def __init__(self):
        super().__init__()
        self.a = torch.zeros(1, 4)
        self.b = torch.ones(1, 4)

    def forward(self, x):
        self.a, self.b = self.b, self.a + x
        if (self.a > self.b).all():
            self.a = self.b
        return self.a - self.b


class Cache(nn.Module):
    """A KV cache as decoders write it: buffers, a position, `update`; no `forward`."""

    def __init__(self):
        super().__init__()
        self.register_buffer("k_cache", torch.zeros(1, 2, 6, 2), persistent=False)
        self.register_buffer("v_cache", torch.zeros(1, 2, 6, 2), persistent=False)
        self.pos = 0

    def reset(self):
        self.pos = 0
        self.k_cache.zero_()
        self.v_cache[:] = 0

    def update(self, k, v):
        keys, values = self.k_cache, self.v_cache
        keys[:, :, self.pos] = k
        values[:, :, self.pos : self.pos + 1] = v.unsqueeze(2)
        self.pos += 1
        return keys[:, :, : self.pos], values[:, :, : self.pos]


class GreedyDecoder(nn.Module):
    """Attends to all tokens so far, those of earlier calls too; stops at a token."""

    def __init__(self):
        super().__init__()
        self.cache = Cache()
        self.qkv, self.out = nn.Linear(4, 12), nn.Linear(4, 5)
        self.embedding = nn.Embedding(5, 4)

    def forward(self, x):
        tokens, n = [], 0
        while n < 3:
            if self.cache.pos == 6:
                self.cache.reset()
            q, k, v = self.qkv(x).view(1, 3, 2, 2).unbind(1)
            keys, values = self.cache.update(k, v)
            weights = (q.unsqueeze(2) @ keys.transpose(2, 3)).softmax(-1)
            h = (weights @ values).reshape(1, 4) + x
            token = self.out(h).argmax(-1)
            tokens.append(token)
            if token.item() == 2:
                break
            x = self.embedding(token) + 0.1 * x
            n += 1
        return torch.cat(tokens)


class StoresInBuffers(nn.Module):
    """At places that are known, that tensors give, that the data gives; by `copy_`."""

    def __init__(self):
        super().__init__()
        self.register_buffer("memory", torch.zeros(5, 4))
        self.register_buffer("counts", torch.zeros(5, dtype=torch.long))
        self.register_buffer("last", torch.zeros(1, 4))
        self.register_buffer("place", torch.zeros(1, dtype=torch.long))

    def forward(self, x):
        k = int(x.abs().sum()) % 5
        self.memory[k] = x[0]
        self.memory[0, 1:3] += 1
        self.counts[k] += 1
        self.memory[self.place] = x * 2
        self.place += 1
        if self.place.item() == 5:
            self.place.zero_()
        if x.sum() > 0:
            self.memory[:-1] = self.memory[1:].clone()
            self.last.copy_(x)
        return self.memory.sum(0) + self.last, self.counts


class BuffersInLists(nn.Module):
    """A list of a buffer holds the tensor, not what it was."""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.ones(1, 4))
        self.register_buffer("sums", torch.zeros(1, 4))

    def forward(self, x):
        self.last.add_(torch.cat([self.last, self.last], 0)[-1:])
        self.sums.add_(torch.stack((self.last, self.sums)).mean(0))
        if x.sum() > 0:
            self.last.mul_(0.25)
            return torch.cat([self.last, self.sums], 1)
        return self.last


class ReturnsBuffersInTuples(nn.Module):
    """A tuple of a buffer that is written by subscript holds what was written."""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.ones(1, 4))
        self.register_buffer("sums", torch.zeros(2))

    def forward(self, x):
        before = (self.last,)
        self.last[:] = x * 2
        if x.sum() > 0:
            self.sums[1] += x.sum()
            return (self.last,), {"sums": [self.sums]}
        return before, (self.sums,)


class TensorsInLists(nn.Module):
    """Tensors of a list and a dict are changed in place, and stay so."""

    def __init__(self):
        super().__init__()
        self.cache = [torch.zeros(4), torch.ones(4)]
        self.table = {"a": torch.zeros(4), "b": torch.ones(2)}

    def forward(self, x):
        self.cache[0][:] = x[0]
        if x.sum() > 0:
            self.cache[1] += x[0]
        self.table["a"][0] = x.sum()
        self.table["b"] = x[0, :2] * 1
        return (self.cache[0] + 1, self.cache[1] * 2), dict(self.table)


class Count(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 0

    def forward(self, x):
        self.n += 1
        return x * self.n if x.sum() > 0 else x


class Modes(nn.Module):
    """A text that the first call may set for good, and another that all calls set."""

    def __init__(self):
        super().__init__()
        self.mode = "sparse"
        self.stage = "first"

    def set_mode(self, mode):
        if mode != self.mode:
            self.mode = mode

    def forward(self, x):
        if self.mode == "sparse" and x.dim() == 2:
            self.set_mode("full")
        y = x + 1 if self.stage == "first" else x
        self.stage = "second" if self.stage == "first" else "later"
        if x.sum() > 0 and self.mode == "full":
            return y * 2
        return y * 3 if self.stage == "later" else y


class JustSet(nn.Module):
    """What was just set is read; the number of a module is found by it."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleDict({f"part{k}": nn.Linear(4, 4) for k in range(4)})

    def scores(self, x):
        self.width = x.shape[-1]
        return x.double().softmax(-1).view(self.width)

    def forward(self, x):
        return self.parts[f"part{self.scores(x).argmax()}"](x)


class Box:
    def __init__(self, value):
        self.value = value
        self.scaled = value * 2


class Applied(Box):
    def __call__(self, x):
        return x + self.value


class KeptAndCalled(nn.Module):
    """What the object does waits for the attribute, and so does what is made of it."""

    def __init__(self):
        super().__init__()
        self.scales = self.box = None

    def made(self, x):
        return [float(n) for n in x.shape], Applied(x.dim())

    def forward(self, x):
        if x.sum() > 1:
            return x
        if self.scales is None or self.box is None:
            self.scales, self.box = self.made(x)
        for scale in self.scales:
            x = x * scale
        return self.box(x)


class KeptBesideList(nn.Module):
    """What a list of the same call holds is asked for by what is kept."""

    def __init__(self):
        super().__init__()
        self.box = None

    def forward(self, x):
        sizes = []
        for row in [x[0], x.T[0]]:
            sizes.append((row.shape[0], row.dim()))
        both = Box(sizes)
        if self.box is None:
            self.box = Box(max(size for size, _ in both.value))
        return x * self.box.scaled


class KeptOfLoop(nn.Module):
    """What is kept is made of a list that another object of the call has, too."""

    def __init__(self):
        super().__init__()
        self.box = None

    def forward(self, x):
        sizes = []
        for row in [x, x.T]:
            sizes.append((row.shape[0], row.dim()))
        other = Box(1)
        other.sizes = sizes
        if x.sum() > 0:
            x = x + 1
        most = 0
        for size in other.sizes:
            most = max(size[0], most)
        if self.box is None:
            self.box = Applied(most)
        return self.box(x)


class ListOnDemand(nn.Module):
    """A list that only some inputs need is made when one does."""

    def __init__(self):
        super().__init__()
        self.steps = None

    def forward(self, x):
        if x.sum() > 0:
            if self.steps is None:
                self.steps = [x.abs().max(), 2.0]
            for step in self.steps:
                x = x * step + 1
        return x


class Chosen(nn.Module):
    """Which module is called is what the last call has left."""

    def __init__(self):
        super().__init__()
        self.fc, self.act = nn.Linear(4, 4), nn.Tanh()
        self.now = self.fc

    def forward(self, x):
        y = self.now(x)
        self.now = self.act if x.sum() > 0 else self.fc
        return y + self.now(x)


def children_by_number():
    """The state of a child is `0.n`."""
    return nn.Sequential(Count(), nn.Tanh(), Count())


class Grid(nn.Module):
    """Made by the first call that needs it, for the size that it needs."""

    def grids(self, size):
        self.size = size
        self.stride = 4 / size
        self.grid = torch.arange(4.0) * size

    def forward(self, x):
        size = 2 if x.sum() > 0 else 3
        if size != getattr(self, "size", 0):
            self.grids(size)
        return x * self.grid * self.stride


class FirstCalls(nn.Module):
    """Attributes that no call has set yet: asked for, and with a default."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x):
        self.calls = getattr(self, "calls", 0) + 1
        if not hasattr(self, "hidden"):
            self.hidden = torch.zeros(1, 4)
        self.hidden = self.cell(x, self.hidden)
        before = getattr(self, "before", None)
        self.before = x
        if before is None:
            return x
        return (before - self.hidden) * self.calls


class ReadTooEarly(nn.Module):
    """Raises AttributeError until a call has set it."""

    def forward(self, x):
        if x.sum() > 0:
            self.last = x
        return self.last + x


class SetByName(nn.Module):
    """Nothing but `setattr` says that there will be such attributes."""

    def mark(self, name, value):
        setattr(self, name, value)

    def forward(self, x):
        if hasattr(self, "h1"):
            self.mark("seen", getattr(self, "seen", 0) + 1)
            return x * 2 + self.seen
        for i in range(2):
            setattr(self, f"h{i}", x * i)
        return x


class Scores(nn.Module):
    """Left for whoever looks, on some paths; nothing reads it."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        if y.sum() > 0:
            self.score = y.sigmoid()
            return y * self.score
        return y


class ChosenOnDemand(nn.Module):
    """A module that the first call on one side chooses."""

    def __init__(self):
        super().__init__()
        self.tanh = nn.Tanh()

    def forward(self, x):
        if x.sum() > 0:
            if not hasattr(self, "activation"):
                self.activation = self.tanh
            return self.activation(x)
        return x * 2


class FirstInLoop(nn.Module):
    """A loop of the data sets it in its first iteration."""

    def forward(self, x):
        while x.abs().sum() > 2:
            if not hasattr(self, "scale"):
                self.scale = x.abs().mean() * 0 + 0.5
            x = x * self.scale
        return x + getattr(self, "scale", 1)


class OneTensorTwice(nn.Module):
    """Several places hold one tensor at first, and each its own later."""

    def __init__(self):
        super().__init__()
        zeros = torch.zeros(1, 4)
        self.pair = (zeros, zeros)
        self.last = [zeros] * 3

    def forward(self, x):
        h, c = self.pair
        c = (h + c + x) * 0.5
        self.pair = (c.tanh(), c)
        self.last = [*self.last[1:], x]
        if x.sum() > 0:
            return self.pair[0] + self.last[0]
        return self.last[1] - self.last[0] * 2


class WholeOrNot(nn.Module):
    """A number that is a float at first, and an int after some calls."""

    def __init__(self):
        super().__init__()
        self.n = 0.0

    def forward(self, x):
        y = x * self.n
        if isinstance(self.n, float):
            y = y + 100
        if x.sum() > 0:
            self.n = int(x.abs().sum())
            return y, self.n
        self.n = 2.5
        return y - 1, self.n


class SetTogether(nn.Module):
    """Two attributes that have a value, or none, both."""

    def __init__(self):
        super().__init__()
        self.h, self.c = None, None

    def forward(self, x):
        if self.h is None:
            self.h, self.c = x, (x, 0)
        elif x.sum() > 0:
            self.h, self.c = self.h + x, (self.c[0] * x, self.c[1] + 1)
        return self.h + self.c[0] + self.c[1]


class ChangesOneOfTwo(nn.Module):
    """In eager both items are the tensor that is changed."""

    def __init__(self):
        super().__init__()
        self.pair = [torch.zeros(1, 4)] * 2

    def forward(self, x):
        self.pair[0].add_(x)
        if x.sum() > 0:
            self.pair = [self.pair[0] + 1, self.pair[1]]
        return self.pair[1] * 1


PROGRAMS = (
    Grid,
    FirstCalls,
    SetByName,
    Scores,
    ChosenOnDemand,
    FirstInLoop,
    children_by_number,
    BuffersInLists,
    ReturnsBuffersInTuples,
    TensorsInLists,
    JustSet,
    KeptAndCalled,
    KeptBesideList,
    KeptOfLoop,
    ListOnDemand,
    Chosen,
    Modes,
    GreedyDecoder,
    StoresInBuffers,
    Temporaries,
    Counters,
    Hidden,
    StateInSubmodule,
    UpdatesInLoop,
    Exits,
    PlainObject,
    Swap,
    OneTensorTwice,
    WholeOrNot,
    SetTogether,
)
