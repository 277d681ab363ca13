"""Updates in place become values: what `dycl-follow-writes` is made of.

The pass runs these in order; each makes a name for what a tensor is after a write, so
that the next one sees it:

    stores       `y[i] = v` is an op that gives the new y
    view_names   `y.select(1, k)`, `narrow`, `split`: a part is a subscript
    views        a write through a view is one to the whole; later views are renewed
    view_orders  what a view is a view of, and how it is laid back (changes nothing)
    renaming     the old name means the new one, behind branches and in loops too
    dynamic_stores  a store at a number of the data's is a choice
"""
