"""`try`, `finally` and exceptions that the data decides."""
# ruff: noqa: B012, B904

import torch
from torch import nn


class FinallyReturn(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        try:
            if x.sum() > 0:
                return self.fc(x)
            y = x * 2
        finally:
            self.calls = self.calls + 1
        return y + self.calls


class FinallyReturnValue(nn.Module):
    def forward(self, x):
        n = 1
        try:
            if x.sum() > 0:
                return x * n
            n = 5
        finally:
            n = n + 10
        return x * n


class FinallyOverrides(nn.Module):
    def forward(self, x):
        for i in range(3):
            try:
                if x.sum() > 0:
                    return x * i
            finally:
                if x.max() > 1:
                    continue
            x = x + 1
        return x


class FinallyAlwaysReturns(nn.Module):
    def forward(self, x):
        try:
            if x.sum() > 0:
                return x
        finally:
            return x * 3


class FinallyLoop(nn.Module):
    def forward(self, x):
        depth = 0
        for i in range(4):
            try:
                depth += 1
                if x.sum() > i:
                    continue
                if x.sum() < -2:
                    break
                x = x + 1
            finally:
                depth -= 3
                x = x * 0.9
        return x + depth


class FinallyRaise(nn.Module):
    def forward(self, x):
        log = []
        try:
            if x.sum() > 0:
                raise ValueError("bad")
            y = x + 1
        finally:
            log.append(1)
        return y * len(log)


class FinallyExcept(nn.Module):
    def forward(self, x):
        n = 0
        try:
            if x.sum() > 0:
                raise ValueError("bad")
            y = x + 1
        except ValueError:
            y = x * 2
            if x.max() > 1:
                return y
        finally:
            n = n + 1
        return y * n


class FinallyRestore(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1.0

    def forward(self, x):
        old = self.scale
        self.scale = 2.0
        try:
            if x.sum() > 0:
                return self.inner(x)
            return self.inner(x) - 1
        finally:
            self.scale = old

    def inner(self, x):
        return x * self.scale


class Two(nn.Module):
    def forward(self, x):
        try:
            if x.sum() > 0:
                raise ValueError("a")
            y = x + 1
            if x.max() > 0.5:
                raise KeyError("b")
            y = y * 2
            w = 1
        except (ValueError, KeyError):
            w = 2
            y = x + w
        return y, w


class Partial(nn.Module):
    def forward(self, x):
        n = 0
        try:
            n = 1
            if x.sum() > 0:
                raise ValueError("a")
            n = 2
            if x.max() > 0.5:
                raise KeyError("b")
            n = 3
        except KeyError:
            n += 10
        except ValueError:
            n += 20
        return x * n


class Loop(nn.Module):
    def forward(self, x):
        found = 0
        for i in range(4):
            try:
                found += 1
                if x[0, i] > 0:
                    raise ValueError("pos")
                x = x + 1
            except ValueError:
                if x.sum() > 5:
                    break
                continue
            x = x * 2
        return x + found


class InLoop(nn.Module):
    def forward(self, x):
        i = 0
        try:
            for i in range(4):
                if x[0, i] > 0:
                    raise ValueError("pos")
                x = x + 1
        except ValueError:
            return x * i
        return x


class While(nn.Module):
    def forward(self, x):
        n = 0
        try:
            while True:
                if x.sum() > 3:
                    raise StopIteration
                x = x + 1
                n += 1
        except StopIteration:
            pass
        return x * n


class Nested(nn.Module):
    def forward(self, x):
        k = 0
        try:
            try:
                if x.sum() > 0:
                    raise ValueError("v")
                if x.max() > 0.3:
                    raise KeyError("k")
                k = 1
            finally:
                k += 2
                x = x + 1
        except ValueError:
            k += 100
        return x * k


class FinRaises(nn.Module):
    def forward(self, x):
        try:
            if x.sum() > 0:
                return x
            y = x + 1
        finally:
            if x.max() > 1:
                raise RuntimeError("fin")
        return y


class HandlerRaises(nn.Module):
    def forward(self, x):
        try:
            if x.sum() > 0:
                raise ValueError("v")
            y = x
        except ValueError:
            if x.max() > 1:
                raise ValueError("again")
            y = x * 2
        except RuntimeError:
            y = x * 3
        return y


class FinSwallows(nn.Module):
    def forward(self, x):
        for _ in range(3):
            try:
                if x.sum() > 0:
                    raise ValueError("v")
                x = x + 1
            finally:
                if x.max() > 1:
                    break
        return x


class StateInTry(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 0

    def f(self, x):
        try:
            if x.sum() > 0:
                raise ValueError
        finally:
            self.k = 5
        return x

    def forward(self, x):
        self.k = 1
        try:
            y = self.f(x)
        except ValueError:
            y = x * self.k
        return y


class ListInTry(nn.Module):
    def forward(self, x):
        log = []
        try:
            log.append(x)
            if x.sum() > 0:
                raise ValueError
            log.append(x + 1)
        except ValueError:
            log.append(x * 7)
        return sum(log) * len(log)


class Alias(nn.Module):
    def forward(self, x):
        y = x.clone()
        try:
            y += 1
            if x.sum() > 0:
                raise ValueError
            y *= 2
        except ValueError:
            pass
        return y


class NoneFirst(nn.Module):
    def forward(self, x):
        y = None
        try:
            if x.sum() > 0:
                raise ValueError
            y = x * 2
            if x.max() > 0.1:
                raise ValueError
        except ValueError:
            if y is None:
                return x
            return y
        return y + 1


class FinallyRaisesInstead(nn.Module):
    def f(self, x):
        if x.sum() > 0:
            raise ValueError("v")
        return x

    def forward(self, x):
        try:
            y = self.f(x)
        finally:
            if x.max() > 1:
                raise KeyError("z")
        return y


class RaiseFrom(nn.Module):
    def forward(self, x):
        try:
            if x.sum() > 0:
                raise KeyError("k")
            y = x + 1
        except KeyError as e:
            raise ValueError("no key") from e
        return y


class Odd(Exception):
    pass


class Odder(Odd):
    pass


class ElseTry(nn.Module):
    def forward(self, x):
        try:
            if x.sum() > 0:
                raise Odder("hm")
        except (Odd, KeyError):
            y = x * 2
        else:
            y = x + 1
        return y


class RaisesInAMethod(nn.Module):
    def check(self, x):
        if x.sum() > 0:
            raise ValueError("big")
        return x + 1

    def forward(self, x):
        try:
            y = self.check(x)
            y = y * 2
        except ValueError:
            y = x - 1
        return y


class Scaled:
    def __init__(self, owner, k):
        self.owner = owner
        self.k = k

    def __enter__(self):
        self.old = self.owner.scale
        self.owner.scale = self.k
        return self

    def __exit__(self, *exc):
        self.owner.scale = self.old


class MadeManager(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1.0

    def forward(self, x):
        with Scaled(self, 3.0) as m:
            if x.sum() > 0:
                return x * self.scale + m.k
            y = x * self.scale
        return y * self.scale


class PassingScaled(Scaled):
    def __exit__(self, a, b, c):
        self.owner.scale = self.old
        return False


class MadeManagerFalse(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1.0

    def forward(self, x):
        with PassingScaled(self, 3.0):
            if x.sum() > 0:
                return x * self.scale
            y = x * self.scale
        return y * self.scale


class Reset:
    def __init__(self, o):
        self.o = o

    def __enter__(self):
        return self

    def __exit__(self, *a):
        self.o.k = 5.0


class RaisesInWith(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 1.0

    def forward(self, x):
        self.k = 1.0
        try:
            with Reset(self):
                if x.sum() > 0:
                    raise ValueError("a")
        except ValueError:
            return x * self.k
        return x


class Failed(ValueError):
    def __init__(self, code=1, what="thing", why="-"):
        super().__init__(f"{what} failed with {code} {why}")


class Keywords(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            raise Failed(why=f"n{x.shape[1]}")
        if x.max() > 0.1:
            raise Failed(3, what="net")
        return x


class Again(nn.Module):
    def forward(self, x):
        y = x
        try:
            y = y + 1
            if x.sum() > 0:
                raise ValueError(f"positive: {x.shape}", 3)
            if x.max() > 0.1:
                raise KeyError("k")
            y = y * 2
        except (ValueError, KeyError) as error:
            if y.max() > 1.5:
                raise error from None
            y = y - 5
        return y


class AgainBare(nn.Module):
    def forward(self, x):
        try:
            if x.sum() > 0:
                raise ValueError("positive")
            return x - 1
        except ValueError:
            raise


class AgainInLoop(nn.Module):
    def forward(self, x):
        for v in x[0].tolist():
            try:
                if v > 0.5:
                    raise ValueError("a")
                if v < -0.5:
                    raise KeyError("b")
            except ValueError:
                x = x + 1
            except KeyError:
                if x.sum() > 0:
                    raise
                x = x - 1
        return x


class AgainInside(nn.Module):
    def forward(self, x):
        n = 0
        try:
            try:
                if x.sum() > 0:
                    raise ValueError("a")
                y = x * 2
            except ValueError:
                n = 1
                if x.max() > 0.5:
                    raise
                y = x * 3
            finally:
                n += 10
        except ValueError:
            y = x * 4
        return y, n


class AgainFromTheRun(nn.Module):
    def forward(self, x):
        n = int(x.abs().sum())
        if n > 0:
            n = n % 5
        try:
            scale = [1, 2, 3][n]
        except IndexError:
            raise
        return x * scale


class NotFinite(nn.Module):
    """What torch is asked of elements raises for none of them."""

    def forward(self, x):
        try:
            y = x.log()
            if torch.isnan(y).any() or not y.isfinite().all():
                raise FloatingPointError("not finite")
        except (FloatingPointError, OverflowError):
            y = x * 0
        return y


PROGRAMS = [
    NotFinite,
    Again,
    AgainBare,
    AgainInLoop,
    AgainInside,
    AgainFromTheRun,
    Keywords,
    FinallyReturn,
    FinallyReturnValue,
    FinallyOverrides,
    FinallyAlwaysReturns,
    FinallyLoop,
    FinallyRaise,
    FinallyExcept,
    FinallyRestore,
    Two,
    Partial,
    Loop,
    InLoop,
    While,
    Nested,
    FinRaises,
    HandlerRaises,
    FinSwallows,
    StateInTry,
    ListInTry,
    Alias,
    NoneFirst,
    FinallyRaisesInstead,
    RaiseFrom,
    ElseTry,
    RaisesInAMethod,
    MadeManager,
    MadeManagerFalse,
    RaisesInWith,
]
