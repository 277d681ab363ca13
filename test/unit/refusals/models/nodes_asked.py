import torch
from torch import nn

import dycl


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right


class Net(nn.Module):
    def forward(self, node):
        x = node.value
        if hasattr(node, "depth"):
            x = x + 1
        if getattr(node, "depth", None) is not None:
            x = x + 2
        if node.left is node.right:
            x = x + 3
        if id(node) in {1: 2}:
            x = x + 4
        if (node.left, node.right).index(None) == 0:
            x = x + 5
        print(f"{node}", str(node))
        return x + node


model = Net().eval()
inputs = (dycl.Tree(Node(torch.ones(3), Node(torch.ones(3)))),)
