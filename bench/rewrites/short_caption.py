"""A `while_loop` over a caption of full length, and how long it is."""

import torch
from torch import nn
from torch._higher_order_ops.while_loop import while_loop

from bench.dynns.short_caption import END, LONGEST
from bench.rewrites.recurrent import cell_step


class Looping(nn.Module):
    """A loop that carries place, caption, the last word's embedding, state."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        model = self.model
        given = model.pool(model.encoder(x)).flatten(1)
        h = torch.tanh(model.first(given))
        places = torch.arange(LONGEST)

        def goes_on(place, ended, *_):
            return (place < LONGEST) & ~ended

        def step(place, _ended, caption, given, h, c):
            h, c = cell_step(model.cell, given, (h, c))
            said = model.head(h).argmax(1)
            caption = torch.where(places == place, said, caption)
            ended = (said == END).reshape([])
            return place + 1, ended, caption, model.embedding(said), h, c

        place, _, caption, *_ = while_loop(
            goes_on,
            step,
            (
                torch.tensor(0),
                torch.tensor(False),
                torch.zeros_like(places),
                given,
                h,
                torch.zeros_like(h),
            ),
        )
        return caption, place

    @staticmethod
    def finish(caption, place):
        return caption[: int(place)]


def rewritten(model):
    """`bench.dynns.short_caption.ShortCaption`."""
    return Looping(model)
