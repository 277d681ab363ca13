"""Three small dynamic networks that are raced beside the subjects of the paper.

One of each kind: skipped blocks, early exits, a loop that stops when the data says so.
Each module has `cases()`, as the examples have; `bench.rewrites` has the same by hand.
"""
