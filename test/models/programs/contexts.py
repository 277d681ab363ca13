"""`with`, as networks use it; each network decides on its input."""

import contextlib
import warnings

import torch
from torch import nn


class NullContext(nn.Module):
    def forward(self, x):
        with contextlib.nullcontext():
            y = x * 2
        with (
            contextlib.nullcontext(x) as z,
            contextlib.nullcontext(enter_result=y) as w,
        ):
            if z.sum() > 0:
                return z + w
        return y


class GradientModes(nn.Module):
    def forward(self, x):
        torch.set_grad_enabled(False)
        with torch.no_grad(), torch.inference_mode():
            y = x * 2
        with torch.set_grad_enabled(self.training) as nothing:
            y = y + 1

        @torch.no_grad()
        def more(v):
            return v + 3

        if y.sum() > 0:
            return more(y), nothing
        return x, nothing


class IdleAutocast(nn.Module):
    """Decorators that change nothing on a CPU."""

    @torch.amp.autocast("cuda", enabled=False)
    def half(self, x):
        return x / 2

    @torch.autocast("cpu", enabled=False)
    def double(self, x):
        return x * 2

    def forward(self, x):
        return self.half(x) if x.sum() > 0 else self.double(x)


class OwnNoGrad(nn.Module):
    """A method may have any name."""

    def no_grad(self):
        return contextlib.nullcontext(3)

    def forward(self, x):
        with self.no_grad() as k:
            return x * k if x.sum() > 0 else x


class Autocast(nn.Module):
    """Where it is off, or for another device, it does nothing on a CPU."""

    def __init__(self):
        super().__init__()
        self.amp = False
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        on = self.amp
        ctx = torch.autocast("cpu") if on else contextlib.nullcontext()
        with ctx:
            y = self.fc(x)
        with torch.autocast(device_type=x.device.type, enabled=on):
            y = self.fc(y)
        with torch.amp.autocast("cuda"):
            y = self.fc(y)
        with torch.cuda.amp.autocast(enabled=False):
            y = self.fc(y)
        with torch.autocast("cpu", torch.bfloat16, False):
            y = self.fc(y)
        if torch.is_autocast_enabled():
            y = torch.amp.autocast_mode._cast(y, "cpu", torch.bfloat16)
        with torch.autocast("cpu", enabled=torch.is_autocast_enabled("cpu")):
            y = self.fc(y)
        return y if y.sum() > 0 else -y


class Profiled(nn.Module):
    def forward(self, x):
        with torch.profiler.record_function("gate"):
            if x.sum() > 0:
                return x * 2
        with torch.autograd.profiler.record_function("rest"):
            return x


class Quiet(nn.Module):
    def forward(self, x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("ignore", category=UserWarning)
            if x.sum() > 0:
                return x * 2
        return x


class Suppressed(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = {"a": 1.0}

    def forward(self, x):
        with contextlib.suppress(KeyError):
            x = x + self.table["a"]
        with contextlib.suppress(KeyError, AttributeError):
            x = x + self.table["b"]
        if x.sum() > 0:
            with contextlib.suppress(AttributeError):
                x = x + self.missing
        return x


class Scope:
    def __init__(self, value):
        self.value = value
        self.depth = 0
        self.left = 0

    def __enter__(self):
        self.depth += 1
        return self.value

    def __exit__(self, kind, error, trace):
        self.depth -= 1
        self.left += 1
        if kind is not None:
            self.depth = 0


class OfTheUser(nn.Module):
    """Left on every way out: return, break, continue, the end."""

    def __init__(self):
        super().__init__()
        self.scope = Scope(3.0)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        with self.scope as k:
            if x.sum() > 0:
                return x * k, self.scope.depth, self.scope.left
            x = x + 1
        for layer in self.layers:
            with self.scope:
                x = layer(x)
                if x.sum() > 1:
                    break
                if x[0, 0] > 0:
                    continue
                x = x * 2
        return x, self.scope.depth, self.scope.left


class InALoopOnData(nn.Module):
    def __init__(self):
        super().__init__()
        self.scope = Scope(0.5)
        self.other = Scope(2.0)

    def forward(self, x):
        steps = 0
        while True:
            with self.scope as k, self.other as j:
                x = x * k
                steps += 1
                if x.abs().max() < j / 4:
                    break
                if steps > 3:
                    return x, steps, self.scope.left
        return -x, steps, self.scope.left


class Deeper(nn.Module):
    """A manager that is a generator function is left on each way out."""

    def __init__(self):
        super().__init__()
        self.depth = 0
        self.fc = nn.Linear(4, 4)

    @contextlib.contextmanager
    def deeper(self):
        self.depth += 1
        yield
        self.depth -= 1

    def forward(self, x):
        for i in range(3):
            with self.deeper():
                if x.sum() > i:
                    x = self.fc(x) * self.depth
                    continue
                if x.max() > 0.5:
                    break
                with self.deeper():
                    x = x + self.depth
        return x + self.depth


@contextlib.contextmanager
def swapped(model, scale):
    old = model.scale
    model.scale = scale
    try:
        yield model
    finally:
        model.scale = old


class Swapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1.0

    def forward(self, x):
        with swapped(self, 3.0) as model:
            if x.sum() > 0:
                return x * model.scale
            y = x - model.scale
        return y + self.scale


class Counted(nn.Module):
    """What the generator binds, is sent, and changes of its own arguments."""

    @contextlib.contextmanager
    def counted(self, log, k=2):
        k = k * 2
        got = yield k
        log.append(k if got is None else 0)

    def forward(self, x):
        log = []
        with self.counted(log) as a, self.counted(log, k=a) as b:
            if x.sum() > 0:
                return x * a + b
        return x * len(log) + log[0] - log[1]


class NotEntered(nn.Module):
    """What makes a manager runs none of it."""

    def __init__(self):
        super().__init__()
        self.n = 0

    @contextlib.contextmanager
    def seven(self):
        self.n = 7
        yield

    def forward(self, x):
        self.n = 1
        manager = self.seven()
        if x.sum() > 0:
            with manager:
                x = x * self.n
        return x * self.n


PROGRAMS = [
    Deeper,
    Swapped,
    Counted,
    NotEntered,
    NullContext,
    GradientModes,
    IdleAutocast,
    OwnNoGrad,
    Autocast,
    Profiled,
    Quiet,
    Suppressed,
    OfTheUser,
    InALoopOnData,
]


class AutocastOn(nn.Module):
    def forward(self, x):
        with torch.autocast("cpu"):
            return x @ x.T


class KeepsExceptions(Scope):
    def __exit__(self, kind, error, trace):
        return kind is not None


class Keeping(nn.Module):
    def __init__(self):
        super().__init__()
        self.scope = KeepsExceptions(3.0)

    def forward(self, x):
        with self.scope:
            return x


@contextlib.contextmanager
def scaled(factor):
    yield from (factor,)


@contextlib.contextmanager
def forgiving():
    try:
        yield
    except ValueError:
        print("no value")


class Forgiving(nn.Module):
    def forward(self, x):
        with forgiving():
            if x.sum() > 0:
                raise ValueError
        return x


class Generated(nn.Module):
    def forward(self, x):
        with scaled(2.0) as k:
            return x * k


REFUSED = {
    AutocastOn: ("DY108", "autocast chooses dtypes", 'torch.autocast("cpu")'),
    Keeping: ("DY108", "may suppress exceptions", "with self.scope:"),
    Forgiving: ("DY109", "hides what the function does", "@contextlib.contextmanager"),
    Generated: ("DY109", "hides what the function does", "@contextlib.contextmanager"),
}
