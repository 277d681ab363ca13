"""Contractions as loops around a tile of sums in vector registers.

`groups.py` finds start value, contraction and epilogue; `nest.py` prints the loops,
`nest_places.py` what they read and write. `dycl.schedules` has the tiles.
"""
