"""Contractions as loops around a tile of sums in vector registers.

`groups.py` finds start value, contraction and epilogue; `nest.py` has the loops,
`nest_places.py` what they read and write, `function.py` the function that they are in.
`dycl.schedules` has the tiles.
"""
