def forward(x):
    for i in x:
        pass
    else:
        x = 1
    del i
    return i
