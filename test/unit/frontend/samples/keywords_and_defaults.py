SCALE = 3


def scaled(x, by=SCALE, *, shift=0):
    return x * by + shift


def forward(x):
    return scaled(x) + scaled(x, 2) + scaled(by=x, x=1, shift=x)
