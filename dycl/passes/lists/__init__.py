"""Lists whose length the data decides; nothing here changes the program.

names     which SSA values are names of which list: `dycl-carry-lists` makes sequences
one_name  whether nobody could tell if a list were a tuple, where it is handed on
paths     which lists had better be one list of a run: `dycl-specialize-joins` asks it
unbound   reads of a list by a name that has no value on some path
"""
