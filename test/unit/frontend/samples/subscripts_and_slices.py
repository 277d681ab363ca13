def forward(x):
    x[0] = x[1:, ::2]
    return x[-1, None, ...]
