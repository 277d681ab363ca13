"""Graph trees as what the runtime builds: nodes as data, numbers as PTX.

describe.py   the whole tree as JSON
thread.py     `graph.scalars` as PTX, for one thread
arithmetic.py the ops on numbers in it
"""
