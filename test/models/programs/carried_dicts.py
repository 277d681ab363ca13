"""Dicts that loops and branches make anew, with the same keys each time."""

import torch
from torch import nn


class State(nn.Module):
    """What a step gives is the state of the next one; a loop that is left early."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(4, 4)

    def step(self, state, x):
        h, c = self.cell(x, (state["h"], state["c"]))
        return {"h": h, "c": c, "n": state["n"] + 1}

    def forward(self, x):
        state = {"h": x * 0, "c": torch.zeros(1, 4), "n": 0}
        while state["n"] < 4 and state["h"].sum() < 0.5:
            state = self.step(state, x)
            if state["c"].sum() > 0.6:
                break
        return state["h"], state["n"], sorted(state.keys())


class Maybe(nn.Module):
    """One side makes a dict, the other keeps the one that is there."""

    def forward(self, x):
        found = {"best": x, "n": 0}
        for i in range(int(x.argmax()) + 2):
            y = x * (i - 1)
            if y.sum() > found["best"].sum():
                found = {"best": y, "n": found["n"] + i}
        return found


class Chosen(nn.Module):
    """Of three dicts one, and then perhaps a fourth."""

    def forward(self, x):
        if x.sum() > 1:
            made = {"h": x, "n": 0}
        elif x.sum() > 0:
            made = {"h": x + 1, "n": int(x.argmax())}
        else:
            made = {"h": x - 1, "n": 2}
        if x.max() > 1:
            made = {"h": made["h"] * 2, "n": made["n"]}
        return made, made["h"] * made["n"]


class ChosenKeys(nn.Module):
    """Entries that are read and set under keys that the data chooses."""

    def __init__(self):
        super().__init__()
        self.names = ["first", "second", "third", "last"]

    def forward(self, x):
        counts, sums = {"up": 0, "down": 1}, {name: 0.5 for name in self.names}
        tensors = {"up": x, "none": x * 2, "down": x + 1}
        for value in x[0]:
            counts["up" if value > 0.3 else "down"] += 1
            sums[self.names[int((x - value).abs().argmax())]] += value.item()
            k = "up" if value > 0 else "down" if value < -1 else "none"
            tensors[k] = tensors[k] + value
        return counts, sums, tensors


PROGRAMS = (State, Maybe, Chosen, ChosenKeys)
