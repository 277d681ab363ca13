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

    names         which names lead to which list: is it safe to follow it?
    joins         what two sides of an `if` make of one list or tuple
    loops         a tuple that a loop carries goes item by item
    carrying      a list of which a loop or scope sets items: the items are carried
    choices       the data chooses which item is set
    forwarding       before the walk: lists handed on under one name go as tuples
    given_tuples  tuples that torch gives (`dycl-infer-shapes` takes them apart)
"""
