def forward(x):
    a, (b, c) = x
    a, b = b, a
    return a, b, c
