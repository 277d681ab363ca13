import math

DEPTHS = [1, 2]


def make(scale):
    def forward(x):
        return x * scale + math.pi + DEPTHS[1]

    return forward


forward = make(0.5)
