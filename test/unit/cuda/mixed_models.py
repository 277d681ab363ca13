"""Networks of which a GPU, engines and the processor compute a part each."""

import torch
from torch import nn


def turned(x):
    return x / 4 + torch.linalg.svdvals(x.reshape(2, -1))[0] / 4


class Parts(nn.Module):
    """Singular values have no template for CUDA, and no engine takes them; decisions
    read what each device has made."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 8)
        self.register_buffer("shift", torch.tensor(0.25))

    def forward(self, x):
        y = self.first(x).relu()
        if y.sum() > 4:
            return y, x
        best = y.topk(4)[0] if x.max() < 0.5 else y[:, :4] * 2
        if best.mean() < 0.3:
            return self.second(y), best
        z = turned(self.second(y) - self.shift)
        return z, best.topk(2)[0] + z[:, :2]


class Rounds(nn.Module):
    """A loop that carries values between kernels of the GPU and of the processor, with
    one that stays as it is, and a list."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x, y):
        seen = []
        count = 0
        while x.sum() < 12 and count < 5:
            best = turned(x.topk(2)[0])
            x = x + self.step(y).sigmoid() + best.sum()
            seen.append(best)
            count += 1
        if len(seen) > 2:
            return x, seen[0] + seen[-1], count
        return x, y * 2, count


def parts():
    torch.manual_seed(0)
    model = Parts().eval()
    torch.manual_seed(3)
    x = torch.randn(1, 6)
    flat = torch.full((1, 6), -0.1)
    return model, [(v,) for v in (x, 9 * x.abs(), -x, x.clamp(max=0.4), flat, 3 * x)]


def rounds():
    torch.manual_seed(0)
    model = Rounds().eval()
    y = torch.randn(1, 4)
    scales = (0.01, 0.3, 1.0, 2.0, 9.0)
    return model, [(torch.rand(1, 4) * scale, y) for scale in scales]
