"""Expressions, builtins and statements as people write them: each must equal eager.

All take `self` and `x`, 1x4 float32; every decision goes both ways over the test's
inputs.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Values(nn.Module):
    """A model whose forward is a function of `self` and `x`."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.linear, self.other = nn.Linear(4, 4), nn.Linear(4, 4)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.thresholds = [0.1, 0.5, 1.0]
        self.config = {"scale": 2.0, "shift": 1, "name": "tiny"}

    def forward(self, x):
        return self.function(self, x)


def set_comprehension(self, x):
    sizes = {n // 2 for n in range(6)}
    names = {str(n) for n in (3, 1, 3)}
    if x.sum() > len(sizes) - 3:
        x = self.linear(x)
    return x * len(names), sum(sizes), 2 in sizes, sorted(names)


def dict_comprehension(self, x):
    outs = {f"layer{i}": layer(x) for i, layer in enumerate(self.layers) if i != 1}
    doubled = {k: v * 2 for k, v in outs.items()}
    if x[0, 0] > 0:
        return outs, doubled
    return {**outs, "layer2": x}, {k: k + 1 for k in (1, 2, 1)}


def any_of_generator(self, x):
    if any(p.item() > 1.0 for p in x[0]):
        return self.linear(x)
    return x


def all_of_generator(self, x):
    p = x.softmax(-1)
    if all(p[0, i] > t for i, t in enumerate((0.05, 0.05, 0.01))):
        return self.linear(x)
    return x


def any_of_list(self, x):
    gates = [layer(x).sum() > 0 for layer in self.layers]
    if any(gates):
        x = x + 1
    if not all(gates):
        x = x * 2
    return x


def sum_of_generator(self, x):
    count = sum(1 for v in x[0].tolist() if v > 0)
    total = sum(layer(x) for layer in self.layers)
    if count >= 2:
        return total, count
    return x, count


def sum_with_start(self, x):
    a, b = x[0, 0].item(), x[0, 1].item()
    total = sum([a, b], 1.5)
    if total > 1.5:
        return x * total, total
    return x, total


def next_of_generator(self, x):
    first = next(i for i, t in enumerate(self.thresholds) if t > 0.3)
    none = next((t for t in self.thresholds if t > 5), None)
    if x.sum() > first:
        x = self.layers[first](x)
    return x, first, none is None


def next_by_data(self, x):
    found = next((i for i, v in enumerate(x[0].tolist()) if v > 0.5), -1)
    if found < 0:
        return x, found
    return self.linear(x), found


def walrus_in_comprehension(self, x):
    outs = [y for layer in self.layers if (y := layer(x)).sum() > 0 or True]
    if (m := x.mean()) > 0:
        return outs[-1] * m, y
    return y


def for_else(self, x):
    for i, layer in enumerate(self.layers):  # noqa: B007
        x = layer(x)
        if x.sum() > 1:
            break
    else:
        i = -1
        x = x * 10
    return x, i


def for_else_without_break(self, x):
    y = x
    for layer in self.layers:
        y = layer(y)
    else:
        y = y + 1
    return y if x.sum() > 0 else -y


def while_else(self, x):
    n = 0
    while n < 3:
        if x[0, n] > 1:
            break
        n += 1
    else:
        n = 100
    return x * n, n


def while_else_on_data(self, x):
    n = 0
    while x.abs().sum() > 0.5:
        x = x * 0.5
        n += 1
        if n == 4:
            break
    else:
        x = x + 1
    return x, n


def for_else_nested(self, x):
    found = 0
    for i in range(3):
        for j in range(2):
            if x[0, i + j] > 1.5:
                continue
            if x[0, i] > 0.3:
                break
        else:
            found += 1
            continue
        x = x + i
    return x, found


def starred_targets(self, x):
    first, *rest = x.shape
    a, *mid, z = [x, x + 1, x + 2, x + 3]
    (b, *c), d = "xyz", 4
    *front, last = torch.split(x, 1, dim=1)
    if x.sum() > first:
        return a + z, rest, b, c, d, last
    return torch.cat(mid), rest, b, c, d, torch.cat(front, 1)


def starred_displays(self, x):
    xs = [x, x + 1]
    ys = [*xs, x * 2, *(x - 1, x - 2)]
    t = (*ys[:2], *range(2))
    d = {"k": 0, **{"a": x, "k": 1}, "b": 2}
    s = {*(1, 2), 2}
    if x.sum() > 0:
        return torch.cat(ys), t, d, len(s)
    return torch.cat([*reversed(ys)]), t, {**d, "k": 3}, len(s)


def chained_comparison(self, x):
    p = x.mean()
    if -0.5 < p < 0.5:
        return self.linear(x)
    v = x[0, 0].item()
    if 0 <= v <= 1 < 2:
        return x * 2
    return x


def and_or_values(self, x):
    v = x[0, 0].item()
    n = int(v)
    m = n or 7
    k = n and 3
    scale = None or self.config["scale"]
    name = "" or self.config.get("missing") or "none"
    if not m - 7:
        return x * scale, m, k, name
    return self.linear(x), m, k, name


def augmented(self, x):
    xs = [x + 1, x]
    xs[0] += 1
    xs[-1] = xs[-1] * 2
    d = {"n": 1, "y": x}
    d["n"] += 3
    d["y"] = d["y"] - 1
    n = 10
    n //= 3
    n **= 2
    n <<= 1
    n |= 1
    n %= 7
    f = x[0, 0].item()
    f *= 2
    f -= 1
    if f > 0:
        return xs[0] * n, d["y"] * d["n"], f
    return xs[1], d["n"], f


def formatting(self, x):
    n = 3
    text = f"{n:>4}|{n!r}|{2.5:.2f}|{'a' + 'b'}"
    old = "%d of %s at %.1f" % (n, "x", 2.25)  # noqa: UP031
    new = "{0} {k} {0}".format(n, k=self.config["name"])
    width = 6
    computed = f"{n:{width}d}|{n=}"
    if text.startswith(" ") and x.sum() > 0:
        x = x * 2
    return x, text, old, new, computed


def string_methods(self, x):
    parts = ["a", "b", "c"]
    joined = "-".join(p.upper() for p in parts)
    outs = {p: layer(x) for p, layer in zip(parts, self.layers, strict=True)}
    if "B" in joined and x[0, 0] > 0:
        return outs["b"], joined.replace("-", ""), joined[::-1], len(parts)
    return outs[parts[-1]], joined.lower().strip("a"), "x" * 3, "b" in parts


def min_max_of_numbers(self, x):
    a, b, c, _ = x[0].tolist()
    least, most = min(a, b, c), max([a, b, c])
    if most - least > 1:
        return x, least, most, abs(a)
    return self.linear(x), least, most, abs(a)


def rounding(self, x):
    v = x[0, 0].item()
    n = round(v * 4)
    w = round(v, 1)
    if n > 2:
        return x * n, n, w, int(v), math.floor(v), math.ceil(v)
    return x, n, w, int(v * 3), math.floor(v), math.trunc(v)


def divmod_of_numbers(self, x):
    n = int(x.sum().item() * 5)
    q, r = divmod(n, 3)
    if r == 1:
        return x * q, q, r, n // -2, n % -4, n & 6, n >> 1, n << 2, ~n, n ^ 5, n | 1
    return x, q, r, -n // 2, pow(n, 2), n**3, +n, n == 3, n != 2, n / 4, 1


def math_functions(self, x):
    v = abs(x[0, 0].item()) + 0.1
    a = math.sqrt(v), math.exp(v), math.log(v), math.tanh(v), math.pow(v, 2)
    b = math.isnan(v), math.isinf(v), math.log2(v), math.log(v, 3), math.isfinite(v)
    if math.log(v) > 0:
        return x * a[0], a, b
    return x * math.sin(v), a, b


def membership(self, x):
    k = x.argmax().item()
    if k in (1, 2):
        x = self.linear(x)
    if k not in {0, 3}:
        x = x + 1
    elif k in [3] or k == 7:
        x = x * 2
    return x, k in range(2, 4), k in {"a": 1, 2: 3}


def membership_in_data(self, x):
    tokens = (x * 2).round().int()[0].tolist()
    if 2 in tokens:
        return self.linear(x)
    if int(x[0, 0]) not in tokens[1:]:
        return x
    return x * 2


def identity_tests(self, x):
    mask = None
    y = x if mask is None else x * mask
    if x.sum() > 0:
        mask = x > 0
    flag = x.mean() > 1
    if (flag is None) or (flag is not None and flag):
        y = y + 1
    return y


def deletes(self, x):
    d = {"a": x, "b": x + 1, "c": 3}
    del d["b"]
    xs = [x, x * 2, x * 3, x * 4]
    del xs[0], xs[-1:]
    y = self.linear(x)
    z = y + 1
    del y
    if z.sum() > 0:
        del d["c"]
        return z, len(xs), xs[0], "a" in d
    return xs[1], len(d)


def rows_of_tensor(self, x):
    outs = []
    for row in x.view(2, 2):
        outs.append(row * 2)
    for i, v in enumerate(x[0]):
        if v > 1:
            outs.append(v * torch.ones(2))
        else:
            outs.append(torch.zeros(2) + i)
    return torch.stack(outs)


def shapes_unpacked(self, x):
    b, n = x.shape
    y = x.reshape(b, n // 2, -1)
    *_, c = y.size()
    h, w = y.shape[-2:]
    if x.mean() > 0:
        return y.expand(-1, h, w) * c, y.size(0), y.ndim, y.numel(), len(y)
    return y.flatten(1)


def bools_as_numbers(self, x):
    a, b, c = ((x[0, i] > 0).item() for i in range(3))
    votes = a + b + c
    if votes > 1:
        return x * votes, a & b, a | c, a ^ b
    return x, votes, -a, True - b, a * 2, a == 1, a < b


def casts(self, x):
    n = int(x[0, 0] * 4)
    f = float(n) / 2
    t = bool(n)
    m = int(f)
    if t:
        return x * f, n, f, t, m, int(True), float(False)
    return x, n, f, t, m, bool(0.0), int(-2.7)


def tolist(self, x):
    a, b, c, d = x[0].tolist()
    grid = x.view(2, 2).tolist()
    if a > b:
        return a + d, grid, c
    return grid[1][0], b, x.sum().tolist()


def not_a_number(self, x):
    v = x[0, 0].item() * math.inf - math.inf
    w = x[0, 2].item()
    both = min(v, w), max(v, w), min(w, v), max(w, v)
    if v != v:
        return x, both, math.isnan(v)
    return x * 2, both, math.isnan(v)


def zip_strict(self, x):
    total = x
    for a, b in zip((1, 2), [x, x + 1], strict=True):
        total = total + a * b
    return total if x.sum() > 0 else -total


def ranges(self, x):
    for i in range(3, -1, -2):
        if x[0, i] > 0:
            x = x + i
    evens = [*range(0, 4, 2)]
    for i in reversed(range(2)):
        x = x * (i + 1)
    return (
        x[:, evens],
        len(range(5)),
        3 in range(4),
        range(10)[2],
        list(range(2, 0, -1)),
    )


CODES = {"low": 1, "high": 2}


def list_methods(self, x):
    xs = [x]
    xs.append(x + 1)
    xs.extend([x + 2, x + 3])
    xs.insert(1, x * 5)
    last = xs.pop()
    first = xs.pop(0)
    xs.reverse()
    d = dict(a=1, b=2)
    d.update(c=3)
    d.setdefault("d", x)
    e = d.pop("a")
    d |= {"z": 0}
    n = [1, 2, 1].count(1) + [5, 6].index(6)
    copied, made = dict(CODES), dict({})
    copied["low"] = x
    made["z"] = copied["high"]
    if x.sum() > 0:
        return torch.cat(xs), last, list(d), e, n, copied["low"], made["z"], len(CODES)
    return first, d.get("b"), d.get("q", 5), n, sorted(d.keys()), tuple(d.values())


def nested_comprehension(self, x):
    grid = [[x[:, i] * j for j in range(2)] for i in range(3)]
    flat = [v for row in grid for v in row if v is not None]
    pairs = [(i, j) for i in range(3) for j in range(i) if i + j > 1]
    table = {i: [j for j in range(i)] for i in range(3)}
    if x.sum() > len(pairs) - 2:
        return torch.cat(flat), pairs, table
    return torch.stack([torch.stack(r) for r in grid])


def generator_argument(self, x):
    y = torch.cat([*(layer(x) for layer in self.layers)])
    z = torch.stack(tuple(layer(x) for layer in self.layers))
    words = ",".join(str(i) for i in range(3))
    total = max(abs(t) for t in self.thresholds)
    doubled = list(t * 2 for t in self.thresholds)
    if y.sum() > total:
        return y, words, doubled
    return z, tuple(t for t in self.thresholds if t < 1)


def enumerates(self, x):
    for i, (layer, t) in enumerate(zip(self.layers, self.thresholds, strict=True), 1):
        if x[0, i] > t:
            break
        x = x + layer(x) * i
    for i, t in reversed(list(enumerate(self.thresholds))):
        x = x + t * i
    return x, i


def tuple_comparison(self, x):
    ok = (1, 2) < (1, 3) and [1, 2] == [1, 2] and (x.shape == (1, 4))
    same = x.shape[-1] == self.linear.in_features
    kind = x.dtype == torch.float32 and isinstance(x, torch.Tensor)
    if ok and same and kind and x.sum() > 0:
        return self.linear(x)
    return x


def numbers_compared(self, x):
    a, b = x[0, 0].item(), x[0, 1].item()
    if (round(a), 1) > (round(b), 2):
        return x
    if [int(a), b] == [int(b), b]:
        return x * 2
    return x * 3


def power_of_numbers(self, x):
    v = x[0, 0].item()
    n = int(v)
    if v**2 > 1:
        return x * v**2, 2.0**n, v % 1
    return x * 2**-1, v // 1, -v % 0.3, 1.5**v


def mean_of_list(self, x):
    scores = []
    for layer in self.layers:
        scores.append(layer(x).sum().item())
    mean = sum(scores) / len(scores)
    if mean > 0:
        return x * mean, max(scores) - min(scores)
    return x, scores


def clamps_number(self, x):
    n = min(max(int(x.sum().item()), 0), 3)
    k = max(0, min(2, n - 1))
    if n == 3:
        return x * k
    return x + n, k


def unused_else(self, x):
    n = 0
    for n in range(1, 4):
        if n * x.sum() > 2:
            break
    else:
        return x
    return x * n


def short_circuits(self, x):
    xs = []
    if xs and xs[0].sum() > 0:
        x = x * 100
    if x.sum() > 0 or (x[0, 0] > 1 and not x[0, 1] > 0):
        x = x + 1
    y = x.mean() > 0 and x.max() > 2
    return x, y


def swaps(self, x):
    a, b = x, x * 2
    a, b = b, a + 1
    xs = [1, 2, 3]
    xs[0], xs[2] = xs[2], xs[0]
    i = 0
    i, xs[i] = 1, 9
    if a.sum() > b.sum():
        a, b = b, a
    return a, b, xs


def map_and_filter(self, x):
    outs = list(map(lambda layer: layer(x), self.layers))
    kept = [t for t in filter(lambda t: t > 0.2, self.thresholds)]
    a, b = map(int, ("3", "4"))
    if x.sum() > a - b:
        return torch.stack(outs).sum(0), kept
    return sum(map(torch.abs, outs)), list(map(max, (1, 5), (3, 2)))


def numbers_of_constants(self, x):
    a = abs(-3), round(2.5), round(3.14159, 2), divmod(-7, 2), pow(2, 5), pow(3, 4, 5)
    b = sorted([3, 1, 2], reverse=True), sum([1, 2, 3]), min([4, 2]), max(1, 2.5)
    c = list(map(lambda v: v * 2, [1, 2])), list(filter(None, [0, 1, 2]))
    d = any([0, 1]), all([]), len("abc"), int("12"), float("1e3"), bool([])
    e = -7 // 2, -7 % 3, 7 >> 1, ~5, True + True, 1 if "" else 2, 5 & 3, 5 ^ 1
    if x.sum() > b[1] - 6:
        x = x * a[4]
    return x, a, b, c, d, e


def max_by_key(self, x):
    name = max(["a", "bbb", "cc"], key=len)
    widest = max(self.layers, key=lambda layer: layer.out_features)
    least = min((3, -1), (2, 5), key=lambda p: p[1])
    if x.sum() > 0:
        x = widest(x)
    return x, name, least


def try_attribute(self, x):
    try:
        scale = self.scale
    except AttributeError:
        scale = 3.0
    try:
        layer = self.linear
    except AttributeError:
        layer = None
    else:
        x = layer(x)
    finally:
        x = x + 1
    if x.sum() > 0:
        return x * scale
    return x


def try_layers(self, x):
    try:
        for i, layer in enumerate(self.layers):
            x = F.relu(layer(x)) * i + x
        y = x * 2
    except (RuntimeError, TypeError):
        y = x * 3
    else:
        y = y + 1
    if x.sum() > 4:
        return y
    return -y


def try_returns(self, x):
    try:
        if x.sum() > 0:
            return self.linear(x)
    except RuntimeError as error:
        print(error)
        return x
    return x * 2


def try_finally(self, x):
    scale = 2.0
    try:
        y = self.linear(x).argmax(-1) + 1
    finally:
        scale = scale + 1.0
    if x.sum() > 0:
        return y * scale
    return x * scale


def try_several(self, x):
    try:
        scale = self.config["factor"]
    except AttributeError:
        scale = 5.0
    except KeyError:
        scale = 3.0
    except Exception:
        scale = 7.0
    try:
        first = (1, 2)[4]
    except LookupError:
        first = 4
    finally:
        x = x + 1
    if x.sum() > 0:
        return x * scale + first
    return x


def try_keys(self, x):
    try:
        y = {"a": x}["side"]
    except KeyError:
        y = x * 2
    try:
        known = {"a": x, 1: y}
        z = known["a"] + known[True]
    except KeyError:
        z = x + 100
    if x.sum() > 0:
        return y
    return z


def try_same_error(self, x):
    try:
        y = x[:, x.argmax(-1)]
    except IndexError as error:
        raise IndexError("too far") from error
    if x.sum() > 0:
        return y
    return x


def identity_of_bools(self, x):
    one, other = bool(x.max() < 1), bool(x.sum() > 0)
    number = int(x.sum())
    kinds = one is None, number is True, number is not None, None is other
    if one is other:
        x = x + 1
    return x, one is True, other is not False, sum([one, one is other]), kinds


def known_integers_divided(self, x):
    """torch-mlir would fold literals in doubles, and without their sign."""
    small = torch.tensor([[3, -2, 0, 1]])
    large = torch.tensor([[2**62 + 1, -(2**53) - 1, 7, -9]])
    if x.sum() > 0:
        return x + small % 5, large // 7
    return x + torch.fmod(small, 5), torch.div(large, 3, rounding_mode="trunc")


def tensors_for_sizes(self, x):
    """`torch.div` of two ints gives a tensor, which torch takes for a size."""
    count = torch.div(x.numel() * 2, 4, rounding_mode="trunc") - 1
    y = x.new_zeros((count + 1, 3, 2))
    y[:, :-1] = x[0, :2]
    parts = y.as_strided(size=(2, count, 2), stride=(6, 2, 1))
    return parts.sum() if x.sum() > 0 else y.new_ones([count, 2])


def rests_and_truncated(self, x):
    """Exact for large quotients, with an infinite divisor, and of literals."""
    known = torch.tensor([[0.5, -1.5, -0.3, 5.0]])
    whole = (x * 100).trunc_()
    if x.sum() > 0:
        return torch.fmod(x * 1e6, 0.1), (x * 1e6) % -0.7, torch.trunc(known), whole
    infinite = torch.full_like(x, float("inf"))
    rests = known % 1.0, torch.fmod(known, infinite), torch.frac(known)
    return *rests, torch.sign(known), known.clone().sign_(), whole


def converted_like_another(self, x):
    """By a tensor, a device and a dtype; torch-mlir has one of the forms."""
    y = x.double().to(x) if x.sum() > 0 else x.half().to(x)
    return y, x.to("cpu", torch.float64), x.to(x.new_ones(1).long()), x.to(device="cpu")


PROGRAMS = [
    value
    for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", None) == __name__
]
PROGRAMS.remove(Values)
