"""A small captioner: four convolutions, then an LSTM cell until it says <end>.

Input: an image 1x3x64x64; result: the caption's words, int64, at most 20.
"""

import torch
from torch import nn

from bench.dynns import IMAGES, image

END = 1
LONGEST = 20


class ShortCaption(nn.Module):
    """256 features, 512 units, 1000 words."""

    def __init__(self, words=1000, features=256, units=512):
        super().__init__()
        self.end, self.longest = END, LONGEST
        layers, channels = [], 3
        for width in (32, 64, 128, features):
            layers += [nn.Conv2d(channels, width, 3, 2, 1), nn.ReLU()]
            channels = width
        self.encoder = nn.Sequential(*layers)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.first = nn.Linear(features, units)
        self.embedding = nn.Embedding(words, features)
        self.cell = nn.LSTMCell(features, units)
        self.head = nn.Linear(units, words)

    def forward(self, x):
        features = self.pool(self.encoder(x)).flatten(1)
        h = torch.tanh(self.first(features))
        c = torch.zeros_like(h)
        given = features
        said = []
        t = 0
        while t < self.longest:
            h, c = self.cell(given, (h, c))
            word = self.head(h).argmax(1)
            said.append(word)
            if word.item() == self.end:
                break
            given = self.embedding(word)
            t += 1
        return torch.cat(said)


def build(seed=0):
    """The network with seeded weights; <end> is said sooner or later."""
    torch.manual_seed(seed)
    model = ShortCaption().eval()
    with torch.no_grad():
        # Large weights: what is said depends on the image, and changes word by word.
        for layer in model.encoder:
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight)
        model.first.weight *= 8
        for parameter in model.cell.parameters():
            parameter *= 4
        model.embedding.weight *= 2
        model.head.bias[END] = _bias(model)
    return model


def _bias(model):
    """The bias of <end> with which about a tenth of the words are the last."""
    model.head.bias[END] = -1e9
    margins = []
    for seed in range(IMAGES):
        features = model.pool(model.encoder(example_inputs(seed)[0])).flatten(1)
        h = torch.tanh(model.first(features))
        c = torch.zeros_like(h)
        given = features
        for _ in range(LONGEST):
            h, c = model.cell(given, (h, c))
            scores = model.head(h)
            end = h @ model.head.weight[END]
            margins.append((scores.amax() - end).item())
            given = model.embedding(scores.argmax(1))
    return torch.tensor(margins).quantile(0.1)


def example_inputs(seed=0):
    """One image."""
    return image(64, 4, seed)


def cases():
    """[(model, list of inputs)]: captions of several lengths."""
    return [(build(), [example_inputs(seed) for seed in range(IMAGES)])]
