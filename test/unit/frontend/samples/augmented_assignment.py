def forward(x, box):
    x += 1
    box.count -= x
    box.items[x] *= 2
    return box
