"""Lists and tensors whose length the data decides."""

import torch
from torch import nn


class Net(nn.Module):
    """Base: two small layers that all networks may use."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.gate = nn.Linear(4, 1)


class Appended(Net):
    """The plainest loop: every state is kept."""

    def forward(self, x):
        outs = [x]
        while x.sum() < 3:
            x = x.abs() + 0.4
            outs.append(x)
        return torch.stack(outs), len(outs), outs


class MaybeEmpty(Net):
    """An empty list is not stacked; its truth is asked for."""

    def forward(self, x):
        outs = []
        while x.sum() < 3:
            x = x.abs() + 0.4
            outs.append(x)
        if not outs:
            return outs, x
        return outs, outs[-1] + outs[0]


class StackOfNone(Net):
    """An empty list raises what torch raises."""

    def forward(self, x):
        outs = []
        while x.sum() < 3:
            x = x.abs() + 0.4
            outs.append(x)
        return torch.stack(outs, dim=-1)


class Halting(Net):
    """Adaptive computation: a list of states and a list of probabilities."""

    def forward(self, x):
        outs, probabilities = [x], []
        total = 0.0
        for _ in range(6):
            x = torch.tanh(self.fc(x))
            p = torch.sigmoid(self.gate(x)).item()
            outs.append(x)
            probabilities.append(p)
            total += p
            if total > 1.2:
                break
        return torch.cat(outs, 1), outs[-1], outs[0], probabilities, total


class Tokens(Net):
    """A greedy decoder's tokens, until it says stop."""

    def forward(self, x):
        tokens = [0]
        while tokens[-1] != 3 and len(tokens) < 8:
            x = self.fc(x) * 3
            tokens.append(int(x.argmax()))
        return tokens, torch.tensor(tokens)


class GoneOver(Net):
    """Loops over a list that another loop made, forwards and backwards."""

    def forward(self, x):
        outs = []
        while x.sum() < 4:
            x = x.abs() + 0.5
            outs.append(x)
        s = torch.zeros_like(x)
        n = 0
        for out in outs:
            s = s * 0.5 + out
        for i, out in enumerate(outs, 1):
            s = s + out * i
            n += i
        for out in reversed(outs):
            s = torch.sin(s) + out
            if s.sum() > 5:
                break
        return s, n


class NewLists(Net):
    """`outs + [x]` makes a new list each time; `+=` changes the last of them."""

    def forward(self, x):
        outs = []
        n = 0
        while x.sum() < 4:
            x = x.abs() + 0.5
            outs = outs + [x]  # noqa: RUF005
            n += 1
        outs += [x, x + 1]
        return outs, n


class Extended(Net):
    def forward(self, x):
        outs = []
        n = 0
        while x.sum() < 4:
            x = x.abs() + 0.5
            outs += [x]
            if n % 2:
                outs.extend((x * 2, x * 3))
            n += 1
        return outs


class InBranch(Net):
    """No loop: a list that is longer on one side."""

    def forward(self, x):
        outs = [x]
        if x.sum() > 0:
            outs.append(self.fc(x))
        return torch.stack(outs), outs[-1]


class OfEither(Net):
    """Two lists meet, and grow as one."""

    def forward(self, x):
        outs = [x] if x.sum() > 0 else [x, x * 2]
        while x.sum() < 5:
            x = x.abs() + 0.4
            outs.append(x)
        return outs


class Helper(Net):
    """The list is filled in a function with returns inside."""

    def step(self, x, outs):
        y = self.fc(x)
        if y.sum() > 1:
            return y * 0.5
        outs.append(y)
        return y

    def forward(self, x):
        outs = []
        for _ in range(int(x.argmax()) + 1):
            x = self.step(x, outs)
            if x.sum() < -2:
                return outs, x
        return outs, x * 2


class Comprehension(Net):
    def forward(self, x):
        n = int(x.argmax())
        return [x * i for i in range(n)], n


class TwoLists(Net):
    """`continue` and `break` with two lists on their way."""

    def forward(self, x):
        a, b = [], []
        i = 0
        while i < int(x.argmax()) * 2 + 1:
            y = torch.sin(x * (i + 2))
            if y.sum() > 0:
                a.append(y)
                i += 1
                continue
            b.append(y)
            b.append(y + 1)
            if len(b) > 2:
                break
            i += 1
        return a, b, len(a) - len(b)


class NestedLoops(Net):
    """A list of the outer loop, and one that each round of it begins anew."""

    def forward(self, x):
        outs = []
        for _ in range(int(x.argmax()) + 1):
            inner = []
            y = x
            while y.sum() < 2:
                y = y.abs() + 0.3
                inner.append(y)
            outs.append(y)
            if len(inner) > 1:
                outs.append(inner[0])
            x = x - 0.1
        return outs


class Numbers(Net):
    def forward(self, x):
        flags, values = [], []
        while x.sum() < 3:
            x = x.abs() + 0.4
            flags.append(bool(x.sum() > 2))
            values.append(x.sum().item())
        return flags, values


class EarlyReturn(Net):
    """The iterations are unrolled, and the list is as long as they got."""

    def forward(self, x):
        outs = []
        for i in range(5):
            x = self.fc(x) + 0.3
            outs.append(x)
            if x.sum() > 1.5:
                return torch.stack(outs, dim=1), i
        return torch.stack(outs, -1), -1


class IndexOfData(Net):
    """An index that the data decides, which may be out of range."""

    def forward(self, x):
        outs = [x]
        while x.sum() < 3:
            x = x.abs() + 0.4
            outs.append(x)
        k = int(x.argmax())
        return outs[k], outs[-k]


class OneListTwoNames(Net):
    def forward(self, x):
        a = []
        b = a
        while x.sum() < 3:
            x = x.abs() + 0.4
            b.append(x)
        c = a + [x]  # noqa: RUF005
        b.append(x * 2)
        return a, b, c


class InTuple(Net):
    """A state that holds a list."""

    def forward(self, x):
        state = (x, [])
        while state[0].sum() < 5:
            y = state[0].abs() + 0.4
            state[1].append(y)
            state = (y, state[1])
        return state


class GreedyDecoder(nn.Module):
    """A prefix that grows by a token, causal attention over it, a stop token."""

    @staticmethod
    def inputs():
        return [torch.tensor([[token]]) for token in range(8)]

    def __init__(self):
        super().__init__()
        self.embed, self.places = nn.Embedding(8, 16), nn.Embedding(12, 16)
        self.q, self.k, self.v = (nn.Linear(16, 16) for _ in range(3))
        self.norm = nn.LayerNorm(16)
        self.feed = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
        self.head = nn.Linear(16, 8)

    def heads(self, h):
        batch, time, _ = h.shape
        return h.view(batch, time, 4, 4).transpose(1, 2)

    def attend(self, h):
        batch, time, width = h.shape
        q, k, v = self.heads(self.q(h)), self.heads(self.k(h)), self.heads(self.v(h))
        scores = q @ k.transpose(-2, -1) / 2
        mask = torch.tril(torch.ones(time, time))
        scores = scores.masked_fill(mask == 0, float("-inf"))
        h = (torch.softmax(scores, -1) @ v).transpose(1, 2)
        return h.reshape(batch, time, width)

    def forward(self, seq):
        while seq.shape[1] < 6:
            h = self.embed(seq) + self.places(torch.arange(seq.size(1)))
            h = h + self.attend(self.norm(h))
            h = h + self.feed(h)
            token = (self.head(h[:, -1]) * 3).argmax(-1, keepdim=True)
            seq = torch.cat([seq, token], dim=1)
            if token.item() == 5:
                break
        return seq, seq.size(1)


class GrownRows(Net):
    """The carried tensor grows; its length is a number, a condition and a size."""

    def forward(self, x):
        y = x
        while y.sum() < 4:
            y = torch.cat([y, y[-1:].abs() * 0.5 + 0.1])
        n = len(y)
        if n > 3:
            return y * 2, n, y.mean(0)
        return torch.zeros(n, 2) + n, n * 2 + 1, torch.arange(n)


class Attention(Net):
    """torch's own attention over what has been seen so far."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x):
        y = x.unsqueeze(1)
        n = 0
        while y.sum() < 4:
            y = torch.cat((y, self.fc(y[:, -1:]) + 1), 1)
            n += y.shape[1]
        z, weights = self.attention(y, y, y)
        own = torch.nn.functional.scaled_dot_product_attention(y, y, y)
        return z, weights, own, n


class Pooled(Net):
    """Reductions over a length that the data decides."""

    def forward(self, x):
        outs = [x]
        while x.sum() < 4 and len(outs) < 7:
            x = self.fc(x) + 0.6
            outs.append(x)
        h = torch.stack(outs)
        w = torch.softmax(h.sum(-1), 0).unsqueeze(-1)
        best = h.max(0)
        flat = h.flatten()
        return (h * w).sum(0), h.mean(0), best.values, best.indices, flat, h[0], h[-1]


class TwoThatGrow(Net):
    """That they grow alike is seen in the run."""

    def forward(self, x):
        a, b = x, x * 2
        while a.sum() < 3:
            a = torch.cat([a, a[:1].abs() + 0.3])
            b = torch.cat([b, b[-1:]])
        return a + b, a @ b.t()


class Windows(Net):
    """Slices of what has grown, by bounds that are known."""

    def forward(self, x):
        y = x
        while y.sum() < 4:
            y = torch.cat([y, y[-1:].abs() + 0.5])
        return y[:3], y[-2:], y[1:], y[2:-1], y[:-1], y[-1], y[::2, 1:3]


class Widths(Net):
    """Bounds that the data decides: below zero, beyond the end, crossing."""

    @staticmethod
    def inputs():
        rows = ((-9, 0, 0, 0), (9, 0, 0, 0), (0, 0, 0, 9), (0, 5, 0, -2), (2, -7, 3, 1))
        return [torch.zeros(1, 4), *(torch.tensor([row]).float() for row in rows)]

    def forward(self, x):
        k, j, n = int(x.sum()), int(x.argmax()), int(x.argmin())
        y = x.t()
        return x[:, :k], x[:, k:], y[j:n] * 2, y[j : j + 2].sum(), x[:, :k:2], k


class Parts(Net):
    """Lengths that the data decides: experts' rows, sorted by expert; what does not
    fit the whole is what torch raises."""

    @staticmethod
    def inputs():
        rows = [(1, 3, 0, 4), (4, 0, -2, 2), (0, 4, -4, 0), (2, 2, 4, 0), (3, 1, 1, 1)]
        rows += [(-1, 5, 0, 0), (5, -1, 0, 0), (1, 2, 0, 0), (5, 0, 0, 0)]
        rows += [(2, 2, 5, 0), (2, 2, -5, 1), (2, 2, 0, -1), (2, 2, 1, 4)]
        return [torch.tensor([row]).float() for row in rows]

    def forward(self, x):
        first, second, start, length = x.long().flatten().tolist()
        rows = self.fc.weight.t() * x.sum()
        some, others = rows.split([first, second], dim=-2)
        done = torch.cat([self.gate(some), self.gate(others.cos())])
        order = torch.tensor([2, 0, 3, 1])
        back = torch.zeros(4, 1).index_add(0, order, done * rows[:, :1])
        return back, done, rows.narrow(0, start, length).relu()


class PartsOfParts(Net):
    """Two layers of experts: what the second split is asked of is known when the first
    one is, of the same list of lengths."""

    @staticmethod
    def inputs():
        torch.manual_seed(0)
        return [torch.randn(5, 4) + shift for shift in (-9, -0.5, 0, 0.5, 9)]

    def forward(self, x):
        for _ in range(2):
            shape = x.shape[:-1]
            one = (x[:, 0] > 0).long()
            lengths = torch.stack([one, 1 - one]).sum(1).tolist()
            some, others = x.split(lengths, dim=0)
            x = torch.cat([some * 2, others - 1], dim=0)
            some, others = (x + 1).split(lengths, dim=0)
            x = torch.cat([some.tanh(), others], dim=0).view(*shape, -1)
        return x


class Slimmable(Net):
    """A layer as wide as the data wants it."""

    def forward(self, x):
        k = int(x.argmax()) + 1
        h = torch.relu(nn.functional.linear(x, self.fc.weight[:k], self.fc.bias[:k]))
        return nn.functional.linear(h, self.fc.weight[:, :k]), h


class Made(Net):
    """Tensors of a size that the data decides, nothing at all too."""

    def forward(self, x):
        k = int(x.argmax())
        return torch.zeros(k, 3) + 1, torch.arange(k), torch.arange(1, k + 1) * 2


class SizesInTensors(Net):
    """Sizes that are tensors of one int, known and not; what is left of a size."""

    def forward(self, x):
        shape = torch.onnx.operators.shape_as_tensor(x)
        half = torch.div(x.size(1), 2, rounding_mode="trunc")
        n = x.argmax()
        rest = torch.zeros(2, x.size(1) - int(n)) + 1
        full = torch.full((n, 2), 1.5), x.new_full((2, n), 2.5)
        zeros = torch.zeros(n, 2)
        return x.view(half, -1), zeros, torch.arange(n, shape[1] * 2), rest, full


class Skewed(Net):
    """Views that exist only if sizes fit, which nothing but the run can tell."""

    def forward(self, x):
        y = (x.t() + x)[None, :, : int(x.argmax()) + 1]
        _, rows, width = y.size()
        y = nn.functional.pad(y, (0, rows + 1)).view(1, -1)[:, :-rows]
        y = y.view(1, rows, rows + width)
        twice = torch.stack([x, x + 1e-6])
        picked = twice.view(-1)[twice.abs().view(-1) > 0.5]
        return y, width - rows, picked.view(-1, 2), picked.reshape(2, -1, 1)


class HeldByTuple(Net):
    def forward(self, x):
        outs = []
        both = (x, outs)
        while x.sum() < 5:
            x = x.abs() + 0.4
            outs.append(x)
        return both


class SumOfList(Net):
    def forward(self, x):
        values = []
        while x.sum() < 5:
            x = x.abs() + 0.4
            values.append(x.sum().item())
        return sum(values)


class PaddedToFour(nn.Module):
    """What is left of a small known size is zeros."""

    def forward(self, x):
        kept = x[x > 0.3]
        if kept.size(0) != x.size(1):
            rest = torch.zeros(x.size(1) - kept.size(0)).type(kept.type())
            kept = torch.cat([kept, rest])
        return kept


class LeftOfThree(nn.Module):
    """torch is asked with two and more: of three, one or none would be left."""

    def forward(self, x):
        part = x[0, :3]
        kept = part[part > 0.3]
        return torch.ones(3 - kept.size(0), 2), torch.zeros(6 - 2 * kept.size(0))


PROGRAMS = (
    PaddedToFour,
    LeftOfThree,
    SumOfList,
    HeldByTuple,
    GreedyDecoder,
    GrownRows,
    Attention,
    Pooled,
    TwoThatGrow,
    Windows,
    Widths,
    Parts,
    PartsOfParts,
    Slimmable,
    Made,
    SizesInTensors,
    Skewed,
    Appended,
    MaybeEmpty,
    StackOfNone,
    Halting,
    Tokens,
    GoneOver,
    NewLists,
    Extended,
    InBranch,
    OfEither,
    Helper,
    Comprehension,
    TwoLists,
    NestedLoops,
    Numbers,
    EarlyReturn,
    IndexOfData,
    OneListTwoNames,
    InTuple,
)


class Reset(Net):
    """The loop hands on one of two lists, and one is written."""

    def forward(self, x):
        outs = []
        while x.sum() < 5:
            x = x.abs() + 0.4
            if x.sum() > 3:
                outs = []
            outs.append(x)
        return outs


class TwoKinds(Net):
    def forward(self, x):
        outs = []
        while x.sum() < 5:
            x = x.abs() + 0.4
            outs.append(x)
            outs.append(1.0)
        return outs


class ChangedLater(Net):
    """In eager the item of the list changes too."""

    def forward(self, x):
        outs = []
        y = x * 1
        while y.sum() < 3:
            outs.append(y)
            y += 1
        return outs


class SomeElements(Net):
    def forward(self, x):
        return x[x[:, 0] > 0, x[0] > 0]


REFUSED = {
    "SomeElements": (SomeElements, "DY301", "depends on the values", "x[x[:, 0]"),
    "Reset": (Reset, "DY304", "this loop gives `outs` new values", "while x.sum() < 5"),
    "TwoKinds": (TwoKinds, "DY301", "and gets a Python float", "outs.append(1.0)"),
    "ChangedLater": (ChangedLater, "DY307", "used afterwards", "y += 1"),
}
