def forward(x):
    i = 7
    return [i * x for i in range(4) if i > 1], i
