"""`einops`: patterns of dims, of known sizes and of any, in functions and layers."""

import torch
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange, Reduce
from torch import nn


class Heads(nn.Module):
    """Attention, whose heads are parted and joined."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(4, 12)

    def forward(self, x):
        parts = self.mix(x).chunk(3, -1)
        q, k, v = (rearrange(t, "n (h d) -> h n d", h=2) for t in parts)
        weights = torch.einsum("h i d, h j d -> h i j", q, k).softmax(-1)
        y = rearrange(weights @ v, "h n d -> n (h d)")
        if y.sum() > 0:
            return reduce(y, "n (d 2) -> d", "mean")
        return repeat(y, "n d -> (n r) d ()", r=3)


class Patterns(nn.Module):
    def forward(self, x):
        image = repeat(x, "n (h w) -> n c h w", h=2, c=3)
        if x.sum() > 0:
            return (
                rearrange(image, "... h w -> ... (w h)"),
                rearrange(image, "b c (h k) w -> b (c k) 1 h w", k=2),
                rearrange([x, x + 1], "k n d -> n (k d)"),
                rearrange(image, "b ... w -> w (b ...)"),
            )
        return (
            reduce(image, "b c h w -> b 1 h", "max"),
            reduce(image, "b c h w -> ", "min"),
            reduce(image, "b c (h k) w -> b (h w)", "sum", k=2),
            reduce(image, "... h w -> ...", "prod"),
            reduce(image > 0, "b c h w -> w b", "any"),
            repeat(x, "n d -> n 2 (d 3)"),
        )


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.flat = nn.Sequential(Rearrange("n (a b) -> n b a", a=2), nn.ReLU())
        self.pool = Reduce("n b a -> n a", "mean")

    def forward(self, x):
        y = self.flat(x)
        return self.pool(y) if x.sum() > 0 else y


PROGRAMS = [Heads, Patterns, Layers]


class WrongSize(nn.Module):
    def forward(self, x):
        return rearrange(x, "n (a b) -> n a b", a=3)


class ByFunction(nn.Module):
    def forward(self, x):
        return reduce(x, "n d -> n", lambda t, dims: t.std(dims))


REFUSED = {
    WrongSize: ("DY112", "can't divide axis of length 4 in chunks of 3", "rearrange("),
    ByFunction: ("DY301", "`einops.reduce` by a function", 'reduce(x, "n d -> n"'),
}
