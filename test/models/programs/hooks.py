"""Forward hooks and pre-hooks, as users register them; each network decides."""

import functools

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
        self.tail = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x):
        y = self.a(x)
        if y.sum() > 0:
            y = self.b(y)
        return self.tail(y)


def double(module, args, output):
    return output * 2


def only_looks(module, args, output):
    output.sum()


def shift_linear(module, args):
    if isinstance(module, nn.Linear):
        return (args[0] + 1,)
    return None


def double_linear(module, args, output):
    if isinstance(module, nn.Linear):
        return output * 2
    return None


class Changes(Net):
    def __init__(self):
        super().__init__()
        self.a.register_forward_hook(double)
        self.b.register_forward_hook(only_looks)
        self.tail.register_forward_hook(lambda m, args, output: output + args[0])
        self.tail[0].register_forward_pre_hook(lambda m, args: None)


class OfTheModelItself(Net):
    def __init__(self):
        super().__init__()
        self.register_forward_hook(double)
        self.register_forward_pre_hook(lambda m, args: args[0] + 1)


class PreHooks(Net):
    def __init__(self):
        super().__init__()
        self.a.register_forward_pre_hook(lambda m, args: (args[0] * 2,))
        self.b.register_forward_pre_hook(lambda m, args: args[0] * 3)
        self.tail.register_forward_pre_hook(lambda m, args: (args[0] - 1,))


class Removed(Net):
    def __init__(self):
        super().__init__()
        handle = self.a.register_forward_hook(double)
        self.b.register_forward_hook(double)
        handle.remove()


class InOrder(Net):
    def __init__(self):
        super().__init__()
        self.a.register_forward_hook(double)
        self.a.register_forward_hook(lambda m, args, output: output + 1)
        self.b.register_forward_hook(double)
        self.b.register_forward_hook(lambda m, i, output: output + 1, prepend=True)


class Scale(nn.Module):
    def forward(self, x, factor=2.0, *, shift=0.0):
        return x * factor + shift


def more(module, args, kwargs):
    return args, {**kwargs, "factor": kwargs["factor"] + 1}


def by_factor(module, args, kwargs, output):
    return output * kwargs["factor"]


class Keywords(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = Scale()
        self.scale.register_forward_pre_hook(more, with_kwargs=True)
        self.scale.register_forward_hook(by_factor, with_kwargs=True)
        self.scale.register_forward_hook(double)

    def forward(self, x):
        if x.sum() > 0:
            return self.scale(x, factor=3.0)
        return self.scale(x, shift=1.0, factor=x[0, 0].item())


def positive_doubled(module, args, output):
    if output.sum() > 0:
        return output * 2
    return None


def positive_first(module, args):
    if args[0].sum() > 0:
        return args[0] * 2
    return None


class DecidesInHooks(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.a.register_forward_hook(positive_doubled)
        self.a.register_forward_pre_hook(positive_first)

    def forward(self, x):
        return self.a(x)


class KeepsOutput(Net):
    def __init__(self):
        super().__init__()
        self.features = None
        self.a.register_forward_hook(self.keep)

    def keep(self, module, args, output):
        self.features = output

    def forward(self, x):
        return super().forward(x) + self.features


class KeepsOnModule(Net):
    def __init__(self):
        super().__init__()

        def keep(module, args, output):
            module.out = output

        self.a.register_forward_hook(keep)

    def forward(self, x):
        return super().forward(x) + self.a.out


class ReadsWhatIsSetAroundALoop(nn.Module):
    """A hook of a layer in a loop reads an attribute that is set again behind it."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
        self.phase = 0
        for layer in self.layers:
            layer.register_forward_hook(self.double_inside)

    def double_inside(self, module, args, output):
        return output * 2 if self.phase == 1 else output

    def forward(self, x):
        self.phase = 1
        for layer in self.layers:
            x = layer(x)
        self.phase = 2
        return x if x.sum() > 0 else self.layers[0](x)


class KeepsByName(Net):
    def __init__(self):
        super().__init__()
        self.features = {}
        for name in ("a", "b"):
            getattr(self, name).register_forward_hook(self.keeper(name))

    def keeper(self, name):
        def hook(module, args, output):
            self.features[name] = output

        return hook

    def forward(self, x):
        self.features = {}
        y = super().forward(x)
        if "b" in self.features:
            y = y + self.features["b"]
        return y + self.features["a"]


class KeepsByPartial(Net):
    def __init__(self):
        super().__init__()
        self.features = {"a": None}
        hook = functools.partial(self.keep, "a")
        self.a.register_forward_hook(hook)

    def keep(self, name, module, args, output):
        self.features[name] = output

    def forward(self, x):
        self.features = {"a": x}
        return super().forward(x) + self.features["a"]


class KeepsList(Net):
    def __init__(self):
        super().__init__()
        self.features = []
        for module in (self.a, self.b):
            module.register_forward_hook(lambda m, i, o: self.features.append(o))

    def forward(self, x):
        self.features = []
        y = super().forward(x)
        return y + self.features[-1], len(self.features)


class Counter:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, module, args, output):
        return output * self.factor


class Counts(Net):
    """The hook reads what the forward of the model changes."""

    def __init__(self):
        super().__init__()
        self.calls = 0
        self.a.register_forward_hook(lambda m, args, output: output * self.calls)
        self.b.register_forward_hook(Counter(3.0))

    def forward(self, x):
        self.calls += 1
        return super().forward(x)


class OfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
        self.attention.register_forward_hook(lambda m, i, o: (o[0] * 2, o[1]))

    def forward(self, x):
        y, weights = self.attention(x[None], x[None], x[None])
        if y.sum() > 0:
            return y
        return weights


class ForwardAlone(nn.Module):
    """`forward` called by its name runs no hooks."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.a.register_forward_hook(double)
        self.inner = Net()
        self.inner.register_forward_hook(double)

    def forward(self, x):
        if x.sum() > 0:
            return self.a.forward(x) + self.inner.forward(x)
        return self.a(x) + self.inner(x)


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Net()
        self.inner.register_forward_hook(double)
        self.inner.a.register_forward_hook(double)

    def forward(self, x):
        return self.inner(x)


class Subclass(nn.Linear):
    def forward(self, x):
        return super().forward(x) + 1


class OfSubclass(nn.Module):
    """`super().forward` runs no hooks."""

    def __init__(self):
        super().__init__()
        self.a = Subclass(4, 4)
        self.a.register_forward_hook(double)

    def forward(self, x):
        y = self.a(x)
        return y if y.sum() > 0 else -y


class OwnCall(nn.Module):
    """A `__call__` of the user's own runs no hooks."""

    def __init__(self):
        super().__init__()
        self.a = Calling()
        self.a.register_forward_hook(double)

    def forward(self, x):
        y = self.a(x)
        return y if y.sum() > 0 else -y


class Calling(nn.Module):
    def __call__(self, x):
        return x + 1


class Normalised(Net):
    """Weights made anew before each call, by hooks and by properties."""

    def __init__(self):
        super().__init__()
        self.a = nn.utils.weight_norm(self.a)
        self.b = nn.utils.spectral_norm(self.b)
        self.tail[0] = nn.utils.parametrizations.weight_norm(self.tail[0])
        self.c = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4))
        self.d = nn.utils.parametrizations.orthogonal(nn.Linear(4, 4))
        with torch.no_grad():
            self.a.weight_g.mul_(2)  # `a.weight` is of yesterday

    def forward(self, x):
        return self.d(self.c(super().forward(x)))


class BackwardHooks(Net):
    """Without gradients these do nothing."""

    def __init__(self):
        super().__init__()
        self.a.register_full_backward_hook(lambda module, grad_in, grad_out: None)


PROGRAMS = [
    Changes,
    OfTheModelItself,
    PreHooks,
    Removed,
    InOrder,
    Keywords,
    DecidesInHooks,
    KeepsOutput,
    KeepsOnModule,
    ReadsWhatIsSetAroundALoop,
    KeepsByName,
    KeepsByPartial,
    KeepsList,
    Counts,
    OfAttention,
    ForwardAlone,
    Nested,
    OfSubclass,
    OwnCall,
    Normalised,
    BackwardHooks,
]


class Always(Net):
    def __init__(self):
        super().__init__()
        self.a.register_forward_hook(double, always_call=True)


class WrongKeywords(Net):
    def __init__(self):
        super().__init__()
        self.a.register_forward_pre_hook(lambda m, i, k: i[0], with_kwargs=True)


class KeepsOutside(Net):
    def __init__(self):
        super().__init__()
        kept = {}
        self.a.register_forward_hook(lambda m, i, o: kept.update(a=o))


class Symmetric(nn.Module):
    def forward(self, weight):
        return weight + weight.T


class Parametrised(Net):
    def __init__(self):
        super().__init__()
        nn.utils.parametrize.register_parametrization(self.a, "weight", Symmetric())


class ReadsParts(Net):
    def __init__(self):
        super().__init__()
        self.a = nn.utils.weight_norm(self.a)

    def forward(self, x):
        return super().forward(x) + self.a.weight_g.sum()


REFUSED = {
    Always: ("DY204", "always_call=True", "y = self.a(x)"),
    WrongKeywords: ("DY204", "returns something else", "y = self.a(x)"),
    KeepsOutside: ("DY205", "outlives the call", "kept.update(a=o)"),
    Parametrised: ("DY204", "a weight that `Symmetric` makes", "y = self.a(x)"),
    ReadsParts: ("DY206", "`weight` is normalised from", "self.a.weight_g.sum()"),
}
