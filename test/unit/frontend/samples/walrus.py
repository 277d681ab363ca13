def forward(x):
    if (y := x + 1) > 2:
        return y
    return x
