import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        start = torch.tensor(0)

        def step(count, y):
            y = torch.cond(y.min() < 0, lambda y: y + 1, lambda y: self.fc(y), (y,))
            return count + 1, y

        count, y = torch.while_loop(lambda count, y: y.sum() < 9, step, (start, x))
        return {"y": y, "steps": [count, None]}


inputs = (torch.zeros(1, 4),)
model = torch.export.export(Net().eval(), inputs)
