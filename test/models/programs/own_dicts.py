"""Objects of the user's own dicts that `forward` makes."""

from collections import OrderedDict
from collections.abc import Mapping

from torch import nn


class Plain(dict):
    pass


class Output(OrderedDict):
    """As libraries have it: entries are read as attributes, or by number."""

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)

    def to_tuple(self):
        return tuple(self.values())


class Shouting(OrderedDict):
    """Whose methods `OrderedDict` asks."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.count = len(self)

    def __setitem__(self, key, value):
        super().__setitem__(key.upper(), value * 2)

    def __getitem__(self, key):
        return super().__getitem__(key.upper())


class Loud(dict):
    """Whose method `dict` does not ask."""

    def __setitem__(self, key, value):
        super().__setitem__(key.upper(), value * 2)


class Fixed(Mapping):
    def __init__(self, x):
        self.x = x

    def __getitem__(self, key):
        return self.x

    def __iter__(self):
        return iter(["ab", "cd"])

    def __len__(self):
        return 2


class Held:
    def __init__(self, value):
        self.value = value


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)


class Returned(Net):
    def forward(self, x):
        out = Output(logits=self.fc(x))
        out.note = 3
        out["aux"] = x.mean() if x.sum() > 0 else x.max()
        return out


class Attributes(Net):
    def forward(self, x):
        out = Output()
        out["logits"] = self.fc(x)
        if x.sum() > 0:
            out["aux"] = x.mean()
            return out.to_tuple()[0] + out.aux
        return out.logits


class Methods(Net):
    def forward(self, x):
        out = Plain(a=x, n=2)
        out.update(b=x + 1)
        y = sum(v for v in out.values()) + len(out)
        for _, value in out.items():
            y = y + value
        if "a" in out and "z" not in out:
            y = y + out.get("z", 5) + out.pop("n")
        out.setdefault("q", x)
        del out["b"]
        y = y + dict(out)["a"] + len({**out, "k": 1}) + len(list(out))
        kinds = isinstance(out, dict), isinstance(out, OrderedDict), bool(out)
        return out if x.sum() > 0 else (y, kinds)


class AskedMethods(Net):
    def forward(self, x):
        one, other = Shouting(a=x), Loud(a=x)
        for each in (one, other):
            each["b"] = x + 1
            each.update({"c": x})
        if x.sum() > 0:
            return one, [other]
        return one["a"] * one["b"] * one.count + one["c"] + other["a"] * other["B"]


class MadeDicts(Net):
    """A key of two letters is a key, and no pair."""

    def forward(self, x):
        both = {**Plain(xy=x), **Fixed(x * 2)}
        return both if x.sum() > 0 else dict(Fixed(x))["ab"]


class ObjectOrTensor(Net):
    """An object that the data chooses has what was set on it."""

    def forward(self, x):
        held = Held(x)
        held.counts = [1]
        for i in range(2):
            held.counts.append(i)
        y = held.value + len(held.counts)
        return held if x.sum() > 0 else y


class AskedFirst(Net):
    def forward(self, x):
        out = Output(a=x)
        y = out.a
        out.a = x + 5
        return y + out.a if x.sum() > 0 else y


def _cache_class():
    class Cache(dict):
        """Of no name by which it could be imported: it is returned as a dict."""

        def __init__(self, *args):
            super().__init__(*args)
            self.hits = 0

        def fetch(self, key, make):
            if key in self:
                self.hits += 1
            else:
                self[key] = make()
            return self[key]

    return Cache


Cache = _cache_class()


class CachedInForward(Net):
    def forward(self, x):
        cache = Cache()
        y = cache.fetch("a", lambda: x * 2)
        if x.sum() > 0:
            y = y + cache.fetch("a", lambda: x * 3)
        else:
            y = y + cache.fetch("b", lambda: x * 5)
        return y, cache.hits, cache


class Equal(Net):
    def forward(self, x):
        return x if Plain(a=1) == {"a": 1} else x + 1


class Missing(Net):
    def forward(self, x):
        out = Output(a=x)
        return out.other if x.sum() > 0 else out.a


PROGRAMS = [
    *(Returned, Attributes, Methods, AskedMethods, MadeDicts, ObjectOrTensor),
    CachedInForward,
]
RAISING = [Missing]
REFUSED = {
    AskedFirst: ("DY206", "this reads the attribute `a`, which is set", "y = out.a"),
    Equal: ("DY301", "derived from dict", "Plain(a=1)"),
}
