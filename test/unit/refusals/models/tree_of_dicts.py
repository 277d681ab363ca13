import torch
from torch import nn

import dycl


class Net(nn.Module):
    def encode(self, tree):
        h = tree["value"]
        for child in tree["children"].values():
            h = torch.tanh(h + self.encode(child))
        return h

    def forward(self, tree):
        return self.encode(tree)


def leaf():
    return {"value": torch.ones(3), "children": {}}


model = Net().eval()
inputs = (dycl.Tree({"value": torch.ones(3), "children": {"a": leaf()}}),)
