def forward(x):
    if x > 0:
        y = 1
    return y
