def forward(x):
    return f"{{block}} {x!r:>4} of {x + 1}"
