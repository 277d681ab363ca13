"""Modules and their parts, as torch's own methods and tables give them."""

import functools
import types

import torch
import torch.nn.functional as F
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)


def double(x):
    return x * 2


# ---- classes


class Parameters(Base):
    """A parameter, a buffer and a plain tensor are told apart."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4))
        self.plain = torch.ones(4)
        self.register_buffer("buffer", torch.ones(4))

    def forward(self, x):
        if isinstance(self.w, nn.Parameter) and isinstance(self.w, torch.Tensor):
            x = x * 2
        if isinstance(self.plain, nn.Parameter):
            x = x * 3
        if isinstance(self.buffer, (nn.Parameter, int)):
            x = x * 5
        if isinstance(self.fc.weight, nn.Parameter):
            x = x * 7
        return x if x.sum() > 0 else self.w - x


class KindsOfFunctions(Base):
    def __init__(self):
        super().__init__()
        self.function, self.bound, self.act = double, self.same, F.relu
        self.partial = functools.partial(double)

    def same(self, x):
        return x

    def forward(self, x):
        if isinstance(self.function, types.FunctionType):
            x = x * 2
        if isinstance(self.partial, functools.partial):
            x = x * 3
        if isinstance(self.bound, types.MethodType):
            x = x * 5
        if isinstance(self.function, (str, nn.Module)):
            x = x * 11
        return self.act(x) if x.sum() > 0 else x


# ---- torch's own `forward`


class Norm(nn.BatchNorm1d):
    def forward(self, x):
        y = super().forward(x)
        return y if y.sum() > 0 else x


class Conv(nn.Conv1d):
    def forward(self, x):
        return nn.Conv1d.forward(self, x) + super(Conv, self).forward(x)  # noqa: UP008


class Forwards(Base):
    def __init__(self):
        super().__init__()
        self.norm, self.conv = Norm(4), Conv(1, 2, 1)
        self.norm.running_mean += 1

    def forward(self, x):
        return self.conv(nn.Linear.forward(self.fc, self.norm(x))[:, None])


class MadeWeights(Base):
    def forward(self, x):
        return nn.Linear(4, 4)(self.fc(x))


class ClearedTable(Base):
    def forward(self, x):
        self._buffers.clear()
        return self.fc(x)


# ---- modules made, or asked, while the network runs


class MadeModules(Base):
    def forward(self, x):
        y = nn.Softmax(dim=-1)(self.fc(x))
        if y.max() > 0.5:
            return nn.Sequential(nn.ReLU(), nn.Tanh())(y - 0.5)
        pad = nn.ConstantPad1d((1, 2), 0.5)
        return pad(x) + pad(y)


class MadeNorms(Base):
    """Their weights are the same each time."""

    def forward(self, x):
        y = nn.LayerNorm(x.size()[1:])(self.fc(x))
        if x.sum() > 0:
            return nn.GroupNorm(2, 4)(y) + nn.BatchNorm1d(4, track_running_stats=False)(
                x
            )
        return nn.PReLU()(y)


class MadeBuffers(Base):
    def forward(self, x):
        return nn.BatchNorm1d(4)(self.fc(x))


class MadeLosses(Base):
    def forward(self, x):
        y = self.fc(x)
        loss = nn.MSELoss()(y, x)
        if loss > 1:
            return loss
        return nn.SmoothL1Loss(reduction="none")(x, y)


class OwnLoss(Base):
    """Its `forward` calls a function that reads its variance."""

    def __init__(self):
        super().__init__()
        self.loss = nn.GaussianNLLLoss(full=True, reduction="none")

    def forward(self, x):
        return self.loss(self.fc(x), x, x.sum().expand_as(x))


class MovedModules(Base):
    def forward(self, x):
        self.eval()
        y = self.fc.float().to(x.device)(x)
        self.fc.to(x.device, torch.float32, non_blocking=True).train(False)
        return y if y.sum() > 0 else self.fc.to(x).cpu().requires_grad_(False)(-y)


class MovedWeights(Base):
    """A table goes where the input is, and is there already: no state."""

    def __init__(self):
        super().__init__()
        self.table = torch.ones(4) * 3

    def forward(self, x):
        self.table = self.table.to(device=x.device, dtype=x.dtype).cpu()
        size = (*(x + self.table).shape[:-1], 2, 2)
        if x.sum() > 0:
            return self.table.float().to(x) * x, self.table.to(x.dtype, copy=True)
        return self.table.to(torch.float64).reshape(size[1:]), self.table.half()


class Tables(Base):
    def __init__(self):
        super().__init__()
        for i in range(2):
            self.add_module(f"m{i}", nn.Linear(4, 4))
            self.register_parameter(f"p{i}", nn.Parameter(torch.ones(4) * (i + 2)))
        self.register_buffer("b", torch.ones(4) * 7)

    def forward(self, x):
        for i in range(2):
            x = self._modules[f"m{i}"](x) + self._parameters[f"p{i}"]
        if "b" in self._buffers and x.sum() > 8:
            return x * self._buffers["b"]
        return torch.cat([v * x for v in self._buffers.values()])


class WrittenTables(Base):
    """An entry of a table is an attribute: each sees what the other has set."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        before = self.mean
        self._buffers["mean"] = self.mean * 0.5 + x[0]
        if self.mean.sum() > 0:
            self.mean = self.mean * 2
            return self._buffers["mean"] + before
        return before


PROGRAMS = [
    Parameters,
    KindsOfFunctions,
    MadeModules,
    MadeNorms,
    MadeLosses,
    OwnLoss,
    MovedModules,
    MovedWeights,
    Tables,
    WrittenTables,
    Forwards,
]

REFUSED = {
    MadeWeights: ("DY201", "made while the network runs, with new weights", "Linear"),
    MadeBuffers: ("DY201", "made while the network runs, with new buffers", "Batch"),
    ClearedTable: ("DY206", "only existing entries of a module", "_buffers.clear"),
}
