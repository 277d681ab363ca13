"""Loops whose length the input decides: compiled equals eager for each trip count.

Every network is run on inputs that make it loop differently often; that they do is
asserted, on the recorded path. What one iteration hands to the next lies in memory that
the next one writes, so most networks here carry tensors in some awkward way.
"""

import _thread
import threading
from contextlib import contextmanager

import pytest
import torch
from torch import nn

import dycl
from dycl.diag import CompileErrors


class Net(nn.Module):
    """Base: two small layers that all networks may use."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.gate = nn.Linear(4, 1)


class FixedPoint(Net):
    """A deep-equilibrium layer: iterate until nothing moves any more."""

    def forward(self, x):
        z = torch.zeros_like(x)
        error = 10.0
        steps = 0
        while error > 0.01 and steps < 50:
            new = torch.tanh(self.fc(z) * 0.5 + x)
            error = (new - z).norm().item()
            z = new
            steps += 1
        return z, steps


class Halting(Net):
    """Adaptive computation time: halting probabilities add up; an early return."""

    def forward(self, x):
        total = 0.0
        state = x
        output = torch.zeros_like(x)
        for step in range(6):
            state = torch.tanh(self.fc(state))
            p = torch.sigmoid(self.gate(state)).item()
            if total + p > 0.95:
                return output + state * (1.0 - total), step
            output = output + state * p
            total = total + p
        return output, 6


class HaltingWhile(Net):
    """The same with a loop that has no end of its own."""

    def forward(self, x):
        total = 0.0
        step = 0
        state = x
        output = torch.zeros_like(x)
        while True:
            state = torch.tanh(self.fc(state))
            p = torch.sigmoid(self.gate(state + x)).item()
            if total + p > 0.95:
                return output + state * (1.0 - total), step
            output = output + state * p
            total += p
            step += 1


class Patience(Net):
    """Stop when the answer has not changed for some iterations."""

    def forward(self, x):
        patience = 0
        last = -1
        layers = 0
        while patience < 2:
            x = torch.sin(self.fc(x) * 3)
            best = int(x.argmax())
            if best == last:
                patience += 1
            else:
                patience = 0
                last = best
            layers += 1
        return x, last, layers


class Swap(Net):
    """Two carried tensors change places in every iteration."""

    def forward(self, x):
        a, b = x, self.fc(x)
        n = 0
        while (a - b).abs().sum() > 0.3:
            a, b = b, (a + b) * 0.5
            n += 1
        return a, b, n


class PureSwap(Net):
    """They only change places: no kernel writes either."""

    def forward(self, x):
        a, b = torch.relu(x), self.fc(x)
        n = int(x.argmax())
        while n > 0:
            a, b = b, a
            n -= 1
        return a - b, a


class OldAndNew(Net):
    """The last three states live across the back edge."""

    def forward(self, x):
        older, old, new = x * 0.0, x, self.fc(x)
        while (new - old).norm() > 0.1:
            older, old, new = old, new, torch.tanh(self.fc(new)) + old * 0.25
        return older, old, new


class Carousel(Net):
    """Values move around, and one branch leaves them in place."""

    def forward(self, x):
        a, b, c = x, x + 1, x + 2
        n = int(x.argmax()) * 2
        while n > 0:
            if n % 2 == 0:
                a, b, c = c, a, b
            else:
                a = self.fc(b)
            n -= 1
        return a, b, c


class RangeOfData(Net):
    """`for` over a range of data; the variable lives on, and may be changed."""

    def forward(self, x):
        i = -1
        count = 0
        for i in range(int(x.argmax())):
            x = self.fc(x)
            count = count + i
            i = i * 10
        return x, i, count


class RangeWithStep(Net):
    def forward(self, x):
        n = int(x.argmax())
        seen = 0
        for k in range(n * 2, -2, -3):
            if k == 1:
                continue
            x = x + k
            seen = seen * 10 + k
        for j in range(1, n + 1, 2):
            x = x * 2
            if j > 2:
                break
        return x, seen


class RangeOfTensor(Net):
    """A tensor may be the bound of a range."""

    def forward(self, x):
        for _ in range(x.argmax()):
            x = torch.relu(self.fc(x))
        return x


class Nested(Net):
    def forward(self, x):
        total = 0
        outer = 0
        while outer < int(x.abs().argmax()) + 1:
            y = x
            inner = 0
            while y.abs().max() > 0.2:
                y = y * 0.5
                inner += 1
                if inner > 6:
                    break
            if inner == 0:
                outer += 1
                continue
            x = x + y
            total += inner
            outer += 1
        return x, total


class InnerResult(Net):
    """What the inner loop gives is carried by the outer one, two rounds long."""

    def forward(self, x):
        old, new = x, x
        rounds = 0
        while rounds < int(x.argmax()):
            y = new
            while y.norm() > 0.4:
                y = torch.tanh(y) * 0.6
            old, new = new, y + 1.0
            rounds += 1
        return old, new


class BreakAndContinue(Net):
    def forward(self, x):
        steps = 0
        skipped = 0
        while steps < 8:
            steps += 1
            y = self.fc(x)
            if y.mean() > 0.25:
                skipped += 1
                x = x - 0.5
                continue
            if y.mean() < -0.35:
                break
            x = y - 0.1
        return x, steps, skipped


class BoundInside(Net):
    """A name that has no value before the loop, and surely one after it."""

    def forward(self, x):
        while True:
            y = torch.sin(x) * 0.7
            small = bool(y.norm() < 0.5)
            if small:
                break
            x = y
        return y, small


class LoopInBranch(Net):
    def forward(self, x):
        if x.sum() > 0:
            while x.sum() > 0:
                x = x - 0.5
        else:
            y = x * 2
            for _ in range(int(x.argmax())):
                y = y + x if y.sum() > -8 else y * 0.5
            x = y
        return x


class InPlace(Net):
    """`+=` on a carried tensor."""

    def forward(self, x):
        total = torch.zeros_like(x)
        n = 0
        while total.sum() < 3:
            total += x.abs() + 0.1
            total.mul_(1.5)
            n += 1
        return total, n


class Helper(Net):
    """The loop is in a function with returns inside, and is called twice."""

    def settle(self, x, limit):
        n = 0
        while True:
            if n >= limit:
                return x * 10.0
            if x.norm() < 1:
                return x
            x = x * 0.5
            n += 1

    def forward(self, x):
        return self.settle(x, 3) + self.settle(x + 1, 5)


class ViewsAndScalars(Net):
    """Views, bools, ints and floats are carried; a float stays a float."""

    def forward(self, x):
        row = x.reshape(2, 2)
        scale = 1.0
        up = True
        hits = 0
        while scale * float(row.abs().sum()) > 1.0:
            row = row.t() if up else row.reshape(4, 1).reshape(2, 2)
            up = not up
            scale = scale / 2
            hits = hits + 1 if bool(row[0, 1] > row[1, 0]) else hits
        return row, scale, up, hits


class TupleState(Net):
    """The state of a recurrent cell is one value to its user."""

    def cell(self, x, state):
        h, c = state
        c = c * torch.sigmoid(self.fc(h)) + x
        return torch.tanh(c), c

    def forward(self, x):
        state = (torch.zeros_like(x), x)
        n = 0
        while state[1].abs().max() > 0.2:
            if n > 5:
                break
            n += 1
            if n == int(x.argmax()):
                continue
            state = self.cell(x * 0.1, state)
        return state, n


class Outlives(Net):
    """Values from before the loop are used in it and after it."""

    def forward(self, x):
        first = self.fc(x)
        y = first
        while y.sum() < 5:
            y = y + first.abs() + 0.2
        return y, first, x


class Exits(Net):
    """Loops in loops, and a return from the innermost."""

    def forward(self, x):
        for i in range(int(x.argmax()) + 1):
            for j in range(int(x.argmin()) + 1):
                x = torch.sin(self.fc(x) * 2)
                if x.sum() > 1.2:
                    return x, i, j
            if x.sum() < -1.5:
                break
        return x * 2.0, 0, 0


NETWORKS = (
    FixedPoint,
    HaltingWhile,
    Patience,
    Swap,
    PureSwap,
    OldAndNew,
    Carousel,
    RangeOfData,
    RangeWithStep,
    RangeOfTensor,
    Nested,
    InnerResult,
    BreakAndContinue,
    BoundInside,
    LoopInBranch,
    InPlace,
    Helper,
    ViewsAndScalars,
    TupleState,
    Outlives,
    Exits,
)


def inputs():
    """Small and large ones, whose largest element is at each place."""
    generator = torch.Generator().manual_seed(1)
    found = [torch.zeros(1, 4), torch.full((1, 4), 0.05)]
    for place in range(4):
        for size in (0.3, 1.0, 3.0):
            x = torch.randn(1, 4, generator=generator)
            x[0, place] = x.max() + 0.5
            found.append(x * size)
    return found


def model_of(network):
    torch.manual_seed(3)
    return network().eval()


def equal(ours, eager):
    if isinstance(eager, tuple):
        assert isinstance(ours, tuple)
        assert len(ours) == len(eager)
        for a, b in zip(ours, eager, strict=True):
            equal(a, b)
    elif isinstance(eager, torch.Tensor):
        torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5)
    else:
        assert type(ours) is type(eager)
        assert ours == pytest.approx(eager, rel=1e-4)


@pytest.mark.parametrize("network", NETWORKS, ids=lambda n: n.__name__)
def test_equals_eager_however_often_it_loops(network):
    model = model_of(network)
    net = dycl.compile(model, (torch.zeros(1, 4),), verify=True)
    lengths = set()
    for x in inputs():
        with torch.no_grad():
            eager = model(x.clone())
        equal(net(x), eager)
        lengths.add(len(net.path))
    assert len(lengths) > 1, "the inputs do not make it loop differently often"


def test_a_loop_of_known_length_with_an_early_return_is_unrolled():
    model = model_of(Halting)
    net = dycl.compile(model, (torch.zeros(1, 4),), verify=True)
    assert "while" not in net.stages["normal"]
    for x in inputs():
        with torch.no_grad():
            equal(net(x), model(x))


def test_path_has_the_test_of_each_iteration():
    model = model_of(Outlives)
    net = dycl.compile(model, (torch.zeros(1, 4),))
    net(torch.full((1, 4), 2.0))
    assert {d.test for d in net.path} == {"y.sum() < 5"}
    assert [d.taken for d in net.path] == [True] * (len(net.path) - 1) + [False]
    assert len(net.decisions) == 1


def test_a_loop_may_run_zero_times():
    model = model_of(RangeOfData)
    net = dycl.compile(model, (torch.zeros(1, 4),))
    x = torch.tensor([[9.0, 1.0, 2.0, 3.0]])
    y, i, count = net(x)
    assert (i, count) == (-1, 0)
    torch.testing.assert_close(y, x)
    assert [d.taken for d in net.path] == [False]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_endless_loop_can_be_interrupted():
    class Endless(Net):
        def forward(self, x):
            while x.sum() < 1:
                x = x * 0.5
            return x

    net = dycl.compile(Endless().eval(), (torch.zeros(1, 4),))
    equal(net(torch.ones(1, 4)), torch.ones(1, 4))
    with interrupted():
        net(torch.zeros(1, 4))
    equal(net(torch.ones(1, 4)), torch.ones(1, 4))


@contextmanager
def interrupted():
    """Ctrl-C, again and again until it is heard: Python drops one that comes while it
    runs a destructor."""
    heard = threading.Event()

    def press():
        while not heard.wait(0.5):
            _thread.interrupt_main()

    presses = threading.Thread(target=press)
    presses.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        heard.set()
        presses.join()


# ---- refusals


class ChangesDtype(Net):
    """Which of the two it is, depends on the iterations before."""

    def forward(self, x):
        y = torch.zeros(1, 4, dtype=torch.int64)
        while y.sum() < 10:
            y = y + x if x.sum() > 0 else y + 1
        return y


class NoneOnOnePath(Net):
    """Any number of iterations may leave it None."""

    def forward(self, x):
        best = None
        while x.sum() > 0:
            x = x - 1
            if x.max() > 1:
                best = x
        return best


class ListChanges(Net):
    def forward(self, x):
        seen = []
        while x.sum() < 3:
            x = x + 1
            seen[1:] = [x]
        return torch.stack([x, *seen])


class MaybeUnbound(Net):
    def forward(self, x):
        while x.sum() < 3:
            x = x + 1
            y = x * 2
        return y


class WritesShared(Net):
    """The other name sees the update of the iteration before."""

    def forward(self, x):
        a = x * 2
        b = a
        while b.sum() < 3:
            x = x + b
            a += 1
        return x


REFUSED = {
    ChangesDtype: ("DY302", "gives a float32 tensor", "an int64 tensor", 4),
    NoneOnOnePath: ("DY304", "this loop gives `best`", "but one is None", 3),
    ListChanges: ("DY205", "this changes a list or dict", "depends on the input", 5),
    MaybeUnbound: ("DY303", "`y` is read here", "may have no value", 5),
    WritesShared: ("DY307", "this changes a tensor", "used afterwards", 6),
}


@pytest.mark.parametrize("network", REFUSED, ids=lambda n: n.__name__)
def test_refused_at_the_users_line(network):
    code, what, also, line = REFUSED[network]
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(model_of(network), (torch.zeros(1, 4),))
    (error,) = caught.value.errors
    assert error.code == code
    assert what in str(error)
    assert also in str(error)
    start = network.forward.__code__.co_firstlineno
    assert error.at is not None
    assert error.at.line == start + line - 1
