"""What other people's programs take from torch's own Python; each network decides."""

import inspect
from contextlib import nullcontext

import torch
from torch import nn
from torch.autograd import Function, Variable
from torch.nn import functional as F
from torch.utils import checkpoint


class Scale(Function):
    """Keeps things for `backward`, and decides."""

    @staticmethod
    def forward(ctx, x, factor=2.0):
        ctx.factor = factor
        ctx.save_for_backward(x, x * 2)
        ctx.mark_non_differentiable(x)
        if x.sum() > 0:
            return x * ctx.factor
        return x - ctx.factor

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.factor, None


class Shift(Function):
    """What `backward` needs is kept elsewhere."""

    @staticmethod
    def forward(x, by):
        return x + by

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.by = inputs[1]


class Amped(Function):
    """As layers for mixed precision are written."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs() if x.max() > 1 else x


class OfClass(Function):
    """`forward` is given the class before the context."""

    factor = 4.0

    @classmethod
    def forward(cls, ctx, x, by=2.0):
        ctx.by = by
        return x * cls.factor - ctx.by


class Straight(Scale):
    """A class of the user's in between."""


scale = Scale.apply


class AppliedFunctions(nn.Module):
    """`apply` of a class, of a name outside, of an attribute, and of a class in it."""

    class Inner(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * torch.sigmoid(x)

    def __init__(self):
        super().__init__()
        self.function = Straight.apply

    def forward(self, x):
        y = Scale.apply(x) + scale(x, 3.0) + self.function(OfClass.apply(x), 1)
        return self.Inner.apply(Amped.apply(Shift.apply(OfClass.apply(y, 3.0), 2)))


class Variables(nn.Module):
    """`Variable(x)` is `x`, also to write to."""

    def forward(self, x):
        y = Variable(x.clone(), requires_grad=True)
        ones = Variable(data=torch.ones(1, 4), volatile=True)
        Variable(y)[0, 0] = 3
        if isinstance(y, Variable) and y.mean() > 0.5:
            return y * ones
        return y - ones


class Reductions(nn.Module):
    """torch's functions of plain values are asked when the model is compiled."""

    def forward(self, x):
        number = F._Reduction.get_enum("mean" if x.sum() > 0 else "sum")
        if F._Reduction.get_enum("none") == 0:
            x = x.abs()
        dtype = torch.promote_types(torch.float32, torch.int64)
        y = x.mean() if number == 1 else x.sum()
        return y.to(dtype).expand(torch.broadcast_shapes((1, 4), (4,)))


class RangeIndices(nn.Module):
    """A range between brackets is the list of its ints, also to write to."""

    def forward(self, x):
        y = (x.t() @ x).clone()
        y[range(len(y)), range(len(y))] = 0
        y[range(1, 3)] += 1
        if y[range(3, -1, -1), 0].sum() > 1:
            y[range(2)] = y[range(2, 4)]
        return y, x[0, range(0, 4, 2)], x[range(0)]


class KnownMasks(nn.Module):
    """The number of truths in a mask that is known is known."""

    def forward(self, x):
        y = x.t() @ x
        others = ~torch.eye(4, dtype=torch.bool)
        rest = y[others].view(4, -1)
        if rest.sum() > 1:
            y = y.clone()
            y[others] = 2
            y[torch.tensor([True, False, False, True]), 1] += 3
        return y.masked_select(others).view(4, 3) + rest, y[:, others[0]]


class ConstantTensors(nn.Module):
    """torch's functions of small constants are computed when the model is compiled."""

    def forward(self, x):
        size = torch.prod(torch.tensor(x.shape)).item()
        rest = torch.sum(torch.tensor([size, 4]), 0)
        if torch.max(x) > 0:
            return x.view(size)
        return x.view(-1, int(rest) // 4)


class Converted(nn.Module):
    """Sizes that are read out of small tensors, of what is not typed so far."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x):
        rows = torch.tensor(x.size(0)).item()
        y = self.layers(x).view(rows, 4, -1)
        sizes = torch.tensor(x.size())
        height, width = sizes.tolist()
        y = self.layers(y.view(rows, sizes[0].item(), int(sizes[-1])))
        if y.sum() > 1:
            return y.view(rows, height * width)
        return x.view(rows, height, width)


class PadsByTensors(nn.Module):
    """What two images differ by, as U-Nets compute it."""

    def forward(self, x):
        small = x[:, 1:3] if x.sum() > 0 else x[:, :2]
        width = torch.tensor([x.size()[1] - small.size()[1]])
        left = width // 2
        return F.pad(small, [left, width - left, 0, torch.tensor(1)]) + x


class AsksForClasses(nn.Module):
    """Some classes of torch look at more than the class of a tensor."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("steps", torch.arange(4))

    def forward(self, x):
        y, count = x * 2, 0
        if isinstance(self.weight, torch.FloatTensor):
            count += 16
        if isinstance(self.steps, (torch.FloatTensor, nn.Parameter)):
            count += 32
        if isinstance(self.steps, Variable):
            count += 64
        if isinstance(y, Variable):
            count += 1
        if isinstance(y, torch.FloatTensor):
            count += 2
        if isinstance(y, (torch.LongTensor, torch.IntTensor)):
            count += 4
        if isinstance(y.long(), torch.LongTensor) and y.sum() > 0:
            count += 8
        return y + count


class IllTyped(nn.Module):
    """Paths that never fit raise where a run gets to them."""

    def __init__(self):
        super().__init__()
        self.narrow, self.scale = nn.Linear(5, 2), None

    def forward(self, x):
        if x[0, 0] > 1:
            return self.narrow(x)
        if x[0, 1] > 1:
            return x * 2.0**-self.scale
        if x[0, 2] > 1:
            y = x + torch.ones(3)
            return y.view(2, 2)
        if x[0, 3] > 1:
            x = x.view(3, -1)
        return x + 1


class OnDevices(nn.Module):
    """As models that may have several devices are written; there is none."""

    def __init__(self):
        super().__init__()
        self.devices = []
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        if len(self.devices) and isinstance(x.data, torch.FloatTensor):
            return nn.parallel.data_parallel(self.layer, x, self.devices)
        return self.layer(x) if x.sum() > 0 else x


def default(value, other):
    if value is not None:
        return value
    return other() if inspect.isfunction(other) else other


class Defaults(nn.Module):
    """What is given, or what a function gives."""

    def forward(self, x, scale=None):
        y = default(scale, lambda: 2.0) * default(None, x)
        if default(x, 1).sum() > default(None, 0):
            return y
        if inspect.isfunction(self.shifted) or not inspect.isfunction(default):
            return x
        return y + default(None, make_one) * default(None, 3)

    def shifted(self, x):
        return x + 1


def make_one():
    return 1


class PadsAndChanges(nn.Module):
    """What is padded is changed in place later; the widths are not."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        width = torch.tensor([x.size()[1] - 2])
        y = F.pad(x[:, :2], [width // 2, width - width // 2])
        y = self.relu(self.linear(y))
        y = self.relu(F.pad(y - 1, [width // 2, 0]))
        return y if y.sum() > 0.5 else y + width


class CopiesList(nn.Module):
    """The list of the model stays as it is."""

    def __init__(self):
        super().__init__()
        self.shifts = [1, 1]

    def forward(self, x):
        shifts = self.shifts.copy()
        if x.size(0) < 2:
            shifts[0] = 0
        if x.sum() > 0:
            shifts[1] = 2
        known = [1, 2]
        changed, table = known.copy(), {"a": 1}.copy()
        if x[0, 0] > 0.5:
            changed[1] = 3
            table["a"] = 2
        return x.roll(shifts[1], 1) + sum(shifts), self.shifts[0], changed, table


class Config(dict):
    """A dict of settings that are read as attributes: what is absent is a KeyError."""

    __getattr__ = dict.__getitem__


class HoldsConfig(nn.Module):
    """What `forward` does not read may be anything."""

    def __init__(self):
        super().__init__()
        self.config = Config(width=4)
        self.fc = nn.Linear(self.config.width, 4)

    def forward(self, x):
        y = self.fc(x)
        return y if y.sum() > 0 else x


class AsksForGradients(Function):
    @staticmethod
    def forward(ctx, x):
        if ctx.needs_input_grad[0]:
            return x
        return x + 1


class Asks(nn.Module):
    def forward(self, x):
        return AsksForGradients.apply(x)


class ChangesKeywords(nn.Module):
    """What a call takes apart is copied; a list in it is not."""

    def __init__(self):
        super().__init__()
        self.kwargs = {"sizes": [1.0]}

    def extended(self, x, sizes):
        sizes.append(2.0)
        return x * len(sizes)

    def forward(self, x):
        return self.extended(x, **self.kwargs)


class KeywordsOfModel(nn.Module):
    """A dict of the model that calls take apart, and what asks how torch runs."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.kwargs = {"factor": 3.0, "is_open": True}
        self.shifts = [1.0]

    def scaled(self, x, shift, factor, is_open):
        return x * factor + shift if is_open else x

    def forward(self, x):
        if torch.compiler.is_exporting() or torch.compiler.is_dynamo_compiling():
            return x
        y = self.scaled(self.fc(x), *self.shifts, **self.kwargs)
        return y if y.sum() > 0 else x


class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, times=1):
        y = self.fc(x)
        return y * times if y.sum() > 0 else -y


class Parallel(nn.Module):
    """On one device it is the module inside."""

    def __init__(self):
        super().__init__()
        self.inner = nn.DataParallel(Halves())

    def forward(self, x):
        return self.inner(x, times=3) + self.inner.module.fc.weight.sum()


class Checkpointed(nn.Module):
    """Nothing is kept for a backward pass."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Halves())

    def forward(self, x):
        y = checkpoint.checkpoint(self.layers[2], x, times=2, use_reentrant=False)
        add = checkpoint.checkpoint(torch.add, x, y, use_reentrant=False, debug=True)
        return add if add.sum() > 0 else y


class CheckpointedInTurn(Checkpointed):
    def forward(self, x):
        y = checkpoint.checkpoint_sequential(self.layers, 2, x, use_reentrant=False)
        return checkpoint.checkpoint_sequential(
            [*self.layers], 2, y, use_reentrant=False
        )


class CheckpointedWithin(Parallel):
    def forward(self, x):
        return checkpoint.checkpoint(
            self.inner, x, use_reentrant=False, context_fn=contexts
        )


def contexts():
    return nullcontext(), nullcontext()


PROGRAMS = [
    KeywordsOfModel,
    AppliedFunctions,
    Variables,
    Reductions,
    RangeIndices,
    KnownMasks,
    ConstantTensors,
    HoldsConfig,
    Converted,
    CopiesList,
    PadsByTensors,
    OnDevices,
    Defaults,
    PadsAndChanges,
    IllTyped,
    AsksForClasses,
    Parallel,
    Checkpointed,
]

REFUSED = {
    CheckpointedWithin: ("DY301", "`checkpoint` with `context_fn`", "checkpoint("),
    ChangesKeywords: ("DY206", "the dict `kwargs` of the model is changed", "**self"),
    Asks: ("DY102", "`ctx`, the context of an autograd function", "if ctx.needs_"),
}
