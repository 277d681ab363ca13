"""Dicts and sets whose keys a run decides, as lists.

`dycl-pair-dicts` finds them, and writes what is done with the lists in their place:

    tables    which dicts these are, and by which names they are known
    uses      what each use of one is: a call of `dycl.prelude.tables`
    members   the same for sets
    keyed     functions that ask it: `max(d, key=d.get)`
    paths     which had better be lists than copies: `dycl-specialize-joins` asks it
"""
