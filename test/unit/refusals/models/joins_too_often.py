import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(4, 4) for _ in range(14))

    def forward(self, x):
        found = []
        for head in self.heads:
            y = None
            if x.max() > 0.5:
                y = head(x)
            x = torch.relu(x - 1)
            found.append(y)
        return found


model = Net().eval()
inputs = (torch.zeros(1, 4),)

from dycl.pipelines import Pipeline  # noqa: E402

# A tenth of the copies that are allowed, which take six seconds to make.
options = {
    "pipeline": str(
        Pipeline.parse("default")
        .expanded()
        .with_option("dycl-specialize-joins", "max-copied-ops", 500)
    )
}
