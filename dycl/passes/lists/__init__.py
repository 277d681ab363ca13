"""Lists whose length the data decides; what changes the program is said so.

names       which SSA values are names of which list: `dycl-carry-lists` makes sequences
recursions  lists that functions of a recursion give, or add to: changes the program
later       whether a list may be changed after something has come to hold it
writes      what a list is after `pop`, `l[i] = x` and the like: changes the program
kinds       whether a value is a list, or a list of a run, by all ways that lead to it
methods     methods that are written in Python: `sort`, `reverse`
holders     what is returned and holds such lists, moved to where it is returned:
            changes the program
one_name    whether nobody could tell if a list were a tuple, where it is handed on
paths       which lists had better be one list of a run: `dycl-specialize-joins` asks it
counted     how a loop goes over lists by number: `dycl-lower-ranges` counts
structures  what tuples, lists, dicts and records are made of, as items of such lists
webs        which lists have items with parts: `dycl-split-sequences` asks it
unbound     reads of a list by a name that has no value on some path
"""
