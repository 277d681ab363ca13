"""The networks of the paper with `forward` as their authors wrote it.

Each file takes the layers of the example of the same name, weights and all, and gives
them the control flow of the published code.
"""
