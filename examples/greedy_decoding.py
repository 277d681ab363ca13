"""A translator that writes word after word until it says that it is done.

Input: token ids 1x7 int64; result: a list of the words' logits, each 1x24, and the
words as a list of int. A GRU encoder, and a GRU decoder that attends to its states.
Bahdanau et al., ICLR 2015.
"""

import torch
from torch import nn

BEGIN, END = 0, 1


class Translator(nn.Module):
    """Encoder, attention, decoder; greedy: the likeliest word goes on."""

    def __init__(self, vocabulary=24, dim=16, limit=12):
        super().__init__()
        self.limit = limit
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = nn.GRU(dim, dim, batch_first=True)
        self.cell = nn.GRUCell(2 * dim, dim)
        self.score = nn.Bilinear(dim, dim, 1)
        self.word = nn.Linear(dim, vocabulary)

    def attend(self, state, memory):
        scores = self.score(memory, state.expand(memory.shape).contiguous())
        return (scores.softmax(dim=0) * memory).sum(dim=0, keepdim=True)

    def forward(self, source):
        memory, last = self.encoder(self.embed(source))
        memory, state = memory[0], last[0]
        word = torch.tensor([BEGIN])
        logits, words = [], []
        while len(words) < self.limit:
            context = self.attend(state, memory)
            state = self.cell(torch.cat([self.embed(word), context], dim=1), state)
            logits.append(self.word(state))
            word = logits[-1].argmax(dim=1)
            if word.item() == END:
                break
            words.append(word.item())
        return logits, words


def build(seed=0):
    """Return the network in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    model = Translator().eval()
    model.word.weight.data *= 5
    return model


def example_inputs(seed=0):
    """Return one random sentence, 1x7 int64."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randint(2, 24, (1, 7), generator=generator),)


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways."""
    return [(build(), [example_inputs(seed) for seed in range(24)])]
