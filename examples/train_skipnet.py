"""Trains SkipNet-38 on digits and writes `skipnet_digits.safetensors`.

    python -m examples.train_skipnet

About four minutes on two cores. In training every block runs and the gates' masks
are multiplied in, so that a whole batch goes through at once and every BatchNorm
sees every image; the masks are hard, with a straight-through gradient.
"""

import time

import torch
from torch.nn.functional import cross_entropy, pad

from examples.digits import digits
from examples.skipnet import WEIGHTS, build

EPOCHS = 18
FROZEN_EPOCHS = 5
BATCH = 64
RATE = 2e-3
SPARSITY = 0.1
INFORMATION = 1.0


def forward(model, x):
    """Return logits NxC and the 19 gates' probabilities Nx19, for a batch."""
    x = model.relu(model.bn1(model.conv1(x)))
    visits = [(0, i) for i in (1, 2, 3, 4, 5, 5)]
    visits += [(g, i) for g in (1, 2) for i in range(6)]
    x = model.attr_layers["group1_layer0"](x)
    gates = [gate_probability(model, 0, 0, x)]
    for g, i in visits:
        ds = f"group{g + 1}_ds{i}"
        prev = model.attr_layers[ds](x) if ds in model.attr_layers else x
        soft = gates[-1]
        hard = (soft > 0.5).float()
        mask = (hard + soft - soft.detach()).reshape([-1, 1, 1, 1])
        block = model.attr_layers[f"group{g + 1}_layer{i}"](x)
        x = mask * block + (1 - mask) * prev
        gates.append(gate_probability(model, g, i, x))
    return model.fc(model.avgpool(x).flatten(1)), torch.stack(gates, dim=1)


def gate_probability(model, group, index, x):
    """Return the probability N that the gate after this block says "run"."""
    scores = model.attr_layers[f"group{group + 1}_gate{index}"].scores(x)
    return scores.softmax(dim=-1)[:, 1]


def entropy(p):
    """Return the entropy, in nats, of a coin that falls heads with probability p."""
    p = p.clamp(1e-4, 1 - 1e-4)
    return -(p * p.log() + (1 - p) * (1 - p).log())


def information(gates, labels):
    """Return what each gate says about the class, in nats, averaged over gates.

    A gate that is always open, always shut, or undecided says nothing, so this
    term is what makes paths differ from image to image.
    """
    shares = torch.nn.functional.one_hot(labels, 10).float()
    counts = shares.sum(dim=0)
    per_class = shares.T @ gates / counts.clamp(min=1)[:, None]
    within = (entropy(per_class) * (counts / len(labels))[:, None]).sum(dim=0)
    return (entropy(gates.mean(dim=0)) - within).mean()


def shift(images, generator):
    """Move the batch by up to two pixels each way."""
    dx, dy = torch.randint(0, 5, (2,), generator=generator).tolist()
    padded = pad(images, (2, 2, 2, 2), mode="replicate")
    return padded[:, :, dy : dy + 32, dx : dx + 32]


def train(epochs=EPOCHS, frozen_epochs=FROZEN_EPOCHS):
    """Train and return the model, in eval mode."""
    torch.set_num_threads(2)
    images, labels, held_images, held_labels = digits()
    model = build(trained=False).to(memory_format=torch.channels_last)
    generator = torch.Generator().manual_seed(0)
    steps = (epochs + frozen_epochs) * (len(labels) // BATCH)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps)
    start = time.perf_counter()
    for epoch in range(epochs + frozen_epochs):
        # Block 5 of group 1 runs twice, on two distributions; the last epochs fit
        # the weights to the running statistics that eval mode will use.
        model.train(epoch < epochs)
        order = torch.randperm(len(labels), generator=generator)
        for batch in order[: len(order) // BATCH * BATCH].split(BATCH):
            logits, gates = forward(model, shift(images[batch], generator))
            loss = cross_entropy(logits, labels[batch], label_smoothing=0.05)
            loss = loss + SPARSITY * gates[:, :-1].mean()
            loss = loss - INFORMATION * information(gates, labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        model.eval()
        with torch.no_grad():
            logits, gates = forward(model, held_images)
        accuracy = (logits.argmax(dim=1) == held_labels).float().mean()
        run = gates[:, :-1] > 0.5
        print(
            f"epoch {epoch:2d}  loss {loss:6.3f}  held-back accuracy {accuracy:.3f}",
            f"information {information(gates, held_labels):.3f}",
            f"blocks {run.sum(dim=1).float().mean():.1f}",
            f"paths {len(torch.unique(run, dim=0)):3d}",
            f"{time.perf_counter() - start:4.0f} s",
            sep="  ",
            flush=True,
        )
    return model


def main():
    """Train, and write the weights under their state-dict keys."""
    from safetensors.torch import save_file

    state = train().state_dict()
    save_file({key: value.contiguous() for key, value in state.items()}, WEIGHTS)
    print(f"wrote {WEIGHTS.name}, {WEIGHTS.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
