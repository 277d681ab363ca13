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
    objects       lists in attributes of objects      on `state`
    walk          branches, scopes and loops; the walk itself, on all of them

What the walk needs of control flow:

    names         aliases: which values may lead to which list
    joins         the items of a list after an `if`
    carrying      items that a loop or scope sets become loop-carried values
    choices       an item is set at a data-dependent index
    chosen_keys   an entry is read or set under a key that the data chooses
    uses          which uses of a list may keep it (`dycl-forward-lists` asks, too)
    known_items   what goes over a size goes over items (`dycl-infer-shapes`)
    torch_sizes   `x.new(size)` and its like (`dycl-infer-shapes`)
    torch_tuples  tuples that torch returns (`dycl-infer-shapes` unpacks them)

Other passes do what needs no items of a list: `dycl-split-tuples` splits a tuple that
control flow forwards, `dycl-forward-lists` forwards a list without an alias as a tuple,
`dycl-scalarize-records` reads records.

Lists, dicts and tuples are one pass because they hold one another. A pass for dicts
alone must give up each list that it meets inside of a dict, and one for lists each
dict: what a loop then changes through both, `cache["k"][0] = x`, neither can carry.
(Tried: of 178 programs one was refused, and another took 34 rounds instead of 20.)
Branches, loops and calls are no passes either: the items of a list are known only at
one point of the program, and a pass of its own would have to walk up to that point,
through all ops that change a list.
"""
