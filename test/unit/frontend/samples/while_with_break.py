def forward(x):
    n = 0
    while n < x:
        n = n + 1
        if n == 5:
            break
    return n
