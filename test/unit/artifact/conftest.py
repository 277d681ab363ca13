import pytest
import torch
from torch import nn

import dycl


class Net(nn.Module):
    """A decision, an exit, a buffer, two names for one weight."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 5)
        self.norm = nn.BatchNorm1d(5)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.fc.weight

    def forward(self, x):
        y = self.norm(self.fc(x))
        if y.sum() > 0:
            return {"y": y, "side": "up"}
        return {"y": self.head(x), "side": "down"}


@pytest.fixture(scope="session")
def model():
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture(scope="session")
def net(model):
    return dycl.compile(model, (torch.zeros(1, 4),))


@pytest.fixture(scope="session")
def inputs():
    torch.manual_seed(1)
    return [torch.randn(1, 4) for _ in range(8)]


@pytest.fixture(scope="session")
def saved(net, tmp_path_factory):
    path = tmp_path_factory.mktemp("artifact") / "net.dycl"
    net.save(path)
    return path
