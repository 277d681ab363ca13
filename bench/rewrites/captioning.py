"""Captioning: a `while_loop` over a caption of full length, and how long it is.

What the words do not change (the attention's view of the pixels, the embedding of
<start>) is computed before the loop.
"""

import torch
from torch import nn
from torch._higher_order_ops.while_loop import while_loop
from torch.nn import functional as F

from bench.rewrites.recurrent import cell_step


class Looping(nn.Module):
    """The encoder, and a loop that carries caption, place, state."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.end = model.word_map["<end>"]
        self.start = model.word_map["<start>"]

    def forward(self, x):
        model, decoder = self.model, self.model.decoder
        attention = decoder.attention
        pixels = model.encoder(x)
        pixels = pixels.view(1, -1, pixels.size(3))
        seen = attention.encoder_att(pixels)
        h, c = decoder.init_hidden_state(pixels)
        word = decoder.embedding(torch.tensor([self.start]))
        places = torch.arange(model.max_length + 1)
        caption = torch.where(places == 0, self.start, 0)

        def goes_on(place, ended, *_):
            return (place < model.max_length) & ~ended

        def step(place, _ended, caption, h, c, pixels, seen, word):
            asked = F.relu(seen + attention.decoder_att(h).unsqueeze(1))
            alpha = F.softmax(attention.full_att(asked).squeeze(2), dim=1)
            mixed = (pixels * alpha.unsqueeze(2)).sum(dim=1)
            mixed = torch.sigmoid(decoder.f_beta(h)) * mixed
            given = torch.cat([word, mixed], dim=1)
            h, c = cell_step(decoder.decode_step, given, (h, c))
            said = decoder.fc(h).argmax(1)
            caption = torch.where(places == place + 1, said, caption)
            kept = pixels.clone(), seen.clone(), word.clone()
            return place + 1, (said == self.end).reshape([]), caption, h, c, *kept

        place, _, caption, *_ = while_loop(
            goes_on,
            step,
            (
                torch.tensor(0),
                torch.tensor(False),
                caption,
                h,
                c,
                pixels,
                seen,
                word,
            ),
        )
        return caption, place

    @staticmethod
    def finish(caption, place):
        return caption[: int(place) + 1].unsqueeze(0)


def rewritten(model):
    """`examples.captioning.Captioner`, of either encoder."""
    return Looping(model)
