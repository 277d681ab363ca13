"""Lists, tuples and dicts, followed until their items are plain values.

`dycl-scalarize-aggregates` walks the entry function once, in order, with what is in
each list at that point. The class of the walk is put together of parts, each of which
says what some kind of op does with what is followed:

    state         which lists are followed and what is in them: the base of all
    items         what each method makes of the items (changes nothing)
    subscripts    `v[i]`, `a, b = v`, `v[i] = w`       on `state`
    operators     `+`, `*`, `in`, `==`                 on `state`
    methods       `append`, `items`, `get`, `sort`     on `state`
    calls         `len`, `list`, `f(*t, **d)`          on `methods`
    walk          branches, scopes and loops; the walk itself, on all of them

What a walk needs of control flow:

    names         aliases: which values may lead to which list
    joins         the items of a list or tuple after an `if`
    loops         a loop-carried tuple becomes loop-carried items
    carrying      items that a loop or scope sets become loop-carried values
    choices       an item is set at a data-dependent index
    forwarding    before the walk: forwarded lists without an alias become tuples
    torch_tuples  tuples that torch returns (`dycl-infer-shapes` unpacks them)
"""
