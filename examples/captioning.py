"""Show, attend and tell: a ResNet looks at the image, an LSTM says word after word.

Input 1x3xSxS float32 (S = 256 as published); result: the caption, int64 1xL with L from
2 to 11, that starts with <start> and stops behind the first <end>. What would come
behind <end> is not computed.
Show, Attend and Tell: Xu et al., ICML 2015. As in the DyCL paper's subjects, every step
is given the word <start>, so that only attention and state move the caption on.
"""

import torch
from torch import nn
from torch.nn import functional as F

from examples.fitting import least_squares


class Bottleneck(nn.Module):
    """Three convolutions, the middle one grouped, and a shortcut."""

    def __init__(self, in_channels, width, channels, stride, groups):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(
            width, width, 3, stride, padding=1, groups=groups, bias=False
        )
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, channels, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU()
        self.downsample = None
        if stride != 1 or in_channels != channels:
            self.downsample = nn.Sequential(
                nn.Conv2d(in_channels, channels, 1, stride, bias=False),
                nn.BatchNorm2d(channels),
            )

    def forward(self, x):
        identity = x
        if self.downsample is not None:
            identity = self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        return self.relu(self.bn3(self.conv3(out)) + identity)


class Encoder(nn.Module):
    """A ResNet without its head, 1x3xSxS -> NxHxWxD.

    `blocks` says how many bottlenecks each group has; the first group's are
    `base_width` wide inside, times `groups`.
    """

    def __init__(self, blocks, stem=64, groups=1, base_width=64):
        super().__init__()
        layers = [
            nn.Conv2d(3, stem, 7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(stem),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2, padding=1),
        ]
        in_channels = stem
        for group, count in enumerate(blocks):
            width, channels = groups * base_width << group, 4 * stem << group
            group_layers = []
            for block in range(count):
                stride = 2 if group > 0 and block == 0 else 1
                group_layers.append(
                    Bottleneck(in_channels, width, channels, stride, groups)
                )
                in_channels = channels
            layers.append(nn.Sequential(*group_layers))
        self.encoder_dim = in_channels
        self.resnet = nn.Sequential(*layers)
        self.pool = nn.AvgPool2d((4, 4))

    def forward(self, images):
        return self.pool(self.resnet(images)).permute(0, 2, 3, 1)


class Attention(nn.Module):
    """Weighs the pixels by what the decoder has in mind."""

    def __init__(self, encoder_dim, decoder_dim, attention_dim):
        super().__init__()
        self.encoder_att = nn.Linear(encoder_dim, attention_dim)
        self.decoder_att = nn.Linear(decoder_dim, attention_dim)
        self.full_att = nn.Linear(attention_dim, 1)
        self.relu = nn.ReLU()
        self.softmax = nn.Softmax(dim=1)

    def forward(self, encoder_out, decoder_hidden):
        att1 = self.encoder_att(encoder_out)
        att2 = self.decoder_att(decoder_hidden)
        att = self.full_att(self.relu(att1 + att2.unsqueeze(1))).squeeze(2)
        alpha = self.softmax(att)
        return (encoder_out * alpha.unsqueeze(2)).sum(dim=1), alpha


class Decoder(nn.Module):
    """The parts of the LSTM that writes the caption."""

    def __init__(self, encoder_dim, dim, vocab_size):
        super().__init__()
        self.attention = Attention(encoder_dim, dim, dim)
        self.embedding = nn.Embedding(vocab_size, dim)
        self.decode_step = nn.LSTMCell(dim + encoder_dim, dim)
        self.init_h = nn.Linear(encoder_dim, dim)
        self.init_c = nn.Linear(encoder_dim, dim)
        self.f_beta = nn.Linear(dim, encoder_dim)
        self.sigmoid = nn.Sigmoid()
        self.fc = nn.Linear(dim, vocab_size)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        nn.init.uniform_(self.fc.weight, -0.1, 0.1)
        nn.init.zeros_(self.fc.bias)

    def init_hidden_state(self, encoder_out):
        mean_encoder_out = encoder_out.mean(dim=1)
        return self.init_h(mean_encoder_out), self.init_c(mean_encoder_out)


class Captioner(nn.Module):
    """Greedy decoding, for at most `max_length` words."""

    def __init__(self, encoder, dim=512, vocab_size=2633, max_length=10):
        super().__init__()
        self.encoder = encoder
        self.decoder = Decoder(encoder.encoder_dim, dim, vocab_size)
        self.max_length = max_length
        self.word_map = {f"word{i}": i for i in range(1, vocab_size - 3)}
        self.word_map["<unk>"] = vocab_size - 3
        self.word_map["<start>"] = vocab_size - 2
        self.word_map["<end>"] = vocab_size - 1
        self.word_map["<pad>"] = 0

    def forward(self, x):
        encoder_out = self.encoder(x)
        batch_size = encoder_out.size(0)
        encoder_dim = encoder_out.size(3)
        encoder_out = encoder_out.view(batch_size, -1, encoder_dim)
        k_prev_words = torch.LongTensor([[self.word_map["<start>"]]] * batch_size)
        k_prev_words = k_prev_words.to(x.device)
        seqs = k_prev_words
        h, c = self.decoder.init_hidden_state(encoder_out)
        for _ in range(self.max_length):
            embeddings = self.decoder.embedding(k_prev_words).squeeze(1)
            awe, _ = self.decoder.attention(encoder_out, h)
            gate = self.decoder.sigmoid(self.decoder.f_beta(h))
            awe = gate * awe
            h, c = self.decoder.decode_step(torch.cat([embeddings, awe], dim=1), (h, c))
            scores = self.decoder.fc(h)
            _, next_word_inds = scores.max(1)
            seqs = torch.cat([seqs, next_word_inds.unsqueeze(1)], dim=1)
            if next_word_inds[0] == self.word_map["<end>"]:
                return seqs
        return seqs


def build(seed=0):
    """Return the network with a ResNeXt-50 that ends at stride 16, and the 2633 words
    of Flickr8k; in eval mode, with seeded random weights."""
    torch.manual_seed(seed)
    encoder = Encoder((3, 4, 6), groups=32, base_width=4)
    return Captioner(encoder).eval()


def build_resnet(seed=0):
    """Return the network with a ResNet-101, and the 11569 words of COCO; in eval mode,
    with seeded random weights."""
    torch.manual_seed(seed)
    return Captioner(Encoder((3, 4, 23, 3)), vocab_size=11569).eval()


def build_twin(seed=0):
    """Return a small twin of `build()`, for 128x128 images."""
    torch.manual_seed(seed)
    encoder = Encoder((1, 1, 1), stem=8, groups=4, base_width=4)
    return Captioner(encoder, dim=64, vocab_size=40).eval()


def example_inputs(size=256, seed=0):
    """Return one smooth random image, 1x3xSxS float32."""
    generator = torch.Generator().manual_seed(seed)
    coarse = torch.randn(1, 3, 8, 8, generator=generator)
    return (F.interpolate(coarse, size=(size, size), mode="bilinear"),)


@torch.no_grad()
def fit_ends(model, images):
    """Fit the score of <end> so that caption k has k words behind <start>.

    First, batch norms take the statistics of the images, so that these differ to the
    decoder, whose forget gates are opened, so that it remembers them. Then the score
    is fitted by least squares, on the states that the decoder goes through: -1 up to
    word k - 1, 1 at word k. The caption of the last image gets no <end> at all.
    """
    norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # a plain average over all batches, here of one
        norm.train()
    model.encoder(torch.cat([x for (x,) in images]))
    for norm in norms:
        norm.eval()
    decoder = model.decoder
    input_gate, forget_gate, _, _ = decoder.decode_step.bias_ih.chunk(4)
    forget_gate.fill_(2.0)
    input_gate.fill_(0.0)
    decoder.fc.bias[-1] = -100.0
    states, wanted = [], []
    hook = decoder.fc.register_forward_pre_hook(lambda _, args: states.append(args[0]))
    for number, x in enumerate(images):
        before = len(states)
        model(*x)
        del states[before + number + 1 :]
        ends = number < model.max_length
        wanted += [-1.0] * (len(states) - before - ends) + [1.0] * ends
    hook.remove()
    states = torch.cat(states)
    weight = least_squares(states, torch.tensor(wanted)[:, None])
    others = (states @ decoder.fc.weight[:-1].T).abs().max()
    decoder.fc.weight[-1] = weight[:, 0] * 2 * others
    decoder.fc.bias[-1] = 0.0


def cases():
    """Return [(model, list of inputs)]; together they take each decision both ways.

    A small twin, fitted so that its eleven captions end at each of the ten words, and
    once not at all.
    """
    twin = build_twin(seed=2)
    images = [example_inputs(128, seed) for seed in range(twin.max_length + 1)]
    fit_ends(twin, images)
    return [(twin, images)]
