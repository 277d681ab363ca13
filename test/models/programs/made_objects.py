"""Objects that `forward` makes: their attributes are set, read, aliased, returned."""

import torch
from torch import nn


class Box:
    """A value with a default in the class, a property, and an operator."""

    count = 0

    def __init__(self, value, *, scale=1.0):
        self.value = value
        self.scale = scale

    @classmethod
    def of(cls, value):
        return cls(value, scale=2.0)

    @property
    def scaled(self):
        return self.value * self.scale

    def __add__(self, other):
        return type(self)(self.value + other.value)

    def take(self, x):
        self.value = self.value + x
        self.count += 1
        return self


class Fine(Box):
    def __init__(self, value):
        super().__init__(value, scale=0.5)
        self.label = "fine"

    def take(self, x):
        return super().take(x * 2)


class Layer:
    is_ready = False
    is_fixed = True

    def __init__(self):
        self.keys = None

    def update(self, k):
        if not self.is_ready:
            self.keys = k
            self.is_ready = True
        else:
            self.keys = torch.cat([self.keys, k], dim=0)
        return self.keys

    def __len__(self):
        return 0 if self.keys is None else self.keys.shape[0]


class Cache:
    """Some of its properties have names that its layers have for something else."""

    def __init__(self, kind=Layer):
        self.layers = []
        self.kind = kind

    @property
    def is_ready(self):
        return len(self.layers) > 0 and self.layers[0].is_ready

    @property
    def is_fixed(self):
        return all(layer.is_fixed for layer in self.layers)

    def update(self, k, i):
        while len(self.layers) <= i:
            self.layers.append(self.kind())
        return self.layers[i].update(k)

    def __getitem__(self, i):
        return self.layers[i]

    def __len__(self):
        return len(self.layers)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))


class Aliased(Net):
    """Two names of one object, and one object in two places."""

    def forward(self, x):
        a = Box(x)
        b, row = a, [a, Box.of(x), a]
        b.value = b.value + 1
        holder = Box(row)
        holder.value[2].take(x)
        if x.sum() > 0:
            row[0].scale = 3
        fresh = a + row[1]
        return a.scaled, row[1].scaled, a.count, fresh.value, b is row[2], a is fresh


class OneSided(Net):
    """What one side sets, and what an early return leaves."""

    def changed(self, box, x):
        if x[0, 0] > 0:
            box.value = x * 2
            return box.value.sum()
        box.scale = 4.0
        return box.scaled.sum()

    def forward(self, x):
        box = Fine(x) if len(self.fc) > 1 else None
        total = self.changed(box, x)
        if x.sum() > 0:
            box.take(x)
        else:
            box.late = 1.0
            total = total + box.late
        known = getattr(box, "label", "none"), hasattr(box, "nothing")
        return total, box.scaled, isinstance(box, Box), known


class InLoop(Net):
    """A loop that the data ends sets attributes of an object from before it."""

    def forward(self, x):
        box = Box(x)
        while box.value.sum() < 3:
            box.take(x.abs() + 1)
        return box.value, box.count


class Cached(Net):
    """Layers that are made when they are first asked for; the cache is returned."""

    def forward(self, x):
        cache = Cache()
        for i, fc in enumerate(self.fc):
            x = cache.update(fc(x), i)
            if x.sum() > 0:
                x = x + 1
            x = cache.update(x[:1], i)
            if cache.is_fixed and cache.is_ready:
                x = x - 1
        return {
            "y": x,
            "dtype": x.dtype,
            "cache": cache,
            "sizes": [len(layer) for layer in cache],
        }


class Generated(Net):
    """Steps over one cache, ended by the data."""

    def step(self, x, cache):
        for i, fc in enumerate(self.fc):
            x = cache.update(fc(x), i).mean(0, keepdim=True) + x
        return x

    def forward(self, x):
        cache, rows = Cache(), [x]
        for _ in range(3):
            x = self.step(rows[-1], cache)
            rows.append(x)
            if x.sum() > 2:
                break
        return torch.cat(rows), cache[0].keys


class Raised(Net):
    """A handler reads what the body had set when it raised."""

    def forward(self, x):
        box = Box(x)
        try:
            box.value = self.fc[0](x)
            if x.sum() > 0:
                raise ValueError("too large")
            y = box.value + 1
        except ValueError:
            y = box.value
        return y


PROGRAMS = [Aliased, OneSided, InLoop, Cached, Generated, Raised]


class Kept(Net):
    def forward(self, x):
        self.last = Box(x)
        return x


class MadeInLoop(Net):
    def forward(self, x):
        while x.sum() < 3:
            x = Box(x).take(x.abs() + 1).value
        return x


class Applied(Box):
    def __call__(self, x):
        return x + self.value


class Counting(Applied):
    def __call__(self, x):
        self.calls = self.calls + 1 if hasattr(self, "calls") else 1
        return super().__call__(x) * self.calls


class KeptAndChanged(Net):
    """A second one begins anew."""

    def __init__(self):
        super().__init__()
        self.box = None

    def forward(self, x):
        if self.box is None or x.sum() > 2:
            self.box = Counting(x.dim())
        return self.box(x)


class KeptAndCompared(Net):
    """The second one is another object, though it is alike."""

    def __init__(self):
        super().__init__()
        self.box = None

    def forward(self, x):
        before = self.box
        self.box = Applied(x.dim())
        return x if before is self.box else -x


class Strict:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class OwnSetattr(Net):
    def forward(self, x):
        strict = Strict()
        strict.x = x
        return strict.x


class Ring(Net):
    def forward(self, x):
        box = Box(x)
        box.itself = box
        return box


class NotSet(Net):
    def forward(self, x):
        box = Box(x)
        return box.missing


REFUSED = {
    Kept: ("DY206", "kept in the model", "self.last = Box(x)"),
    KeptAndChanged: ("DY206", "kept in the model", "self.box(x)"),
    KeptAndCompared: ("DY301", "is the one that was made", "before is self.box"),
    MadeInLoop: ("DY201", "a loop", "x = Box(x).take"),
    OwnSetattr: ("DY201", "`__setattr__` of its own", "strict = Strict()"),
    Ring: ("DY301", "holds itself", "return box"),
    NotSet: ("DY206", "no attribute `missing`", "return box.missing"),
}
