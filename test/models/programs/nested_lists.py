"""Lists and dicts inside of others: each has one identity, by all of its names."""

import torch
from torch import nn


class Nested(nn.Module):
    """Calls one of the functions below."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(self, x)


def built(x):
    """Known after one round of the compiler, and not before."""
    rows = []
    for i in range(2):
        rows.append([i])
        for _ in range(2):
            rows[i].append(i)
    return rows


def number(x):
    return int((x[0, 0] > 0).item())


def appends_where_the_data_says(net, x):
    children = [[] for _ in range(2)]
    for i in range(2):
        children[int((x[0, i] > 0).item())].append(i)
    if len(children[1]) == 0:
        return x
    return x * len(children[0]) + children[1][0]


def appends_in_a_loop_that_reads_before(net, x):
    children, n = [[], []], 0
    while x.sum() < 3:
        n = n + len(children[0])
        children[0].append(1)
        x = x + 1
    return x * n


def appends_to_a_tuple_of_lists_in_a_loop(net, x):
    pair, n = ([], x), 0
    while x.sum() < 3:
        n += len(pair[0])
        pair[0].append(x)
        x = x + 1
    return x * n


def counts_in_a_nested_list(net, x):
    rows, n = [[1]], 0
    while x.sum() < 3:
        n += rows[0][0]
        rows[0][0] += 1
        x = x + 1
    return x * n


def bump(d):
    d["k"] += 2


def counts_in_a_nested_dict(net, x):
    d, n = {"n": {"k": 1}}, 0
    while x.sum() < 3:
        n += d["n"]["k"]
        bump(d["n"])
        x = x + 1
    return x * n


def sets_tensors_of_a_cache(net, x):
    cache = {"k": [x, x], "v": [x, x]}
    while cache["k"][0].sum() < 3:
        for j in range(2):
            cache["k"][j] = cache["k"][j] + 0.5
    return cache


def reads_a_list_that_the_loop_changes_where_the_data_says(net, x):
    rows = [[x, x], [x]]
    while rows[0][1].sum() < 3:
        rows[0][1] = rows[0][1] + 1
        x = x + rows[number(x)][0]
    return x + rows[0][1]


def sets_an_entry_that_the_data_chooses(net, x):
    d = {"a": {"n": 1}, "b": {"n": 2}}
    k = "a" if x.sum() > 0 else "b"
    d[k]["n"] = 7
    return x * d["a"]["n"]


def appends_through_a_sum_of_lists(net, x):
    rows = [[1], [2]]
    rows[0].append(x)
    both = rows + list([[3]])
    both[0].append(x)
    if x.sum() > 0:
        x = -x
    return x * len(rows[0])


def appends_through_a_repeated_list(net, x):
    rows = built(x)
    twice = rows * 2
    twice[2].append(x)
    if x.sum() > 0:
        x = -x
    return x * len(rows[0])


def appends_through_enumerate_and_zip(net, x):
    rows = built(x)
    for _, row in enumerate(rows):
        row.append(x)
    for one, other in zip(rows, rows[::-1], strict=True):
        one.append(x)
        other.extend([x, x])
    if x.sum() > 0:
        x = -x
    return x * len(rows[0])


def appends_through_reversed_and_max(net, x):
    rows = built(x)
    for _ in range(2):
        for row in reversed(rows):
            row.append(x)
    max(rows, key=len).append(x)
    if x.sum() > 0:
        x = -x
    return x * len(rows[0]) + len(rows[1])


def appends_through_map_and_a_comprehension(net, x):
    rows = built(x)
    again = [row for row in rows]
    again[0].append(x)
    mapped = list(map(lambda row: row, rows))
    mapped[1].append(x)
    if x.sum() > 0:
        x = -x
    return x * len(rows[0]) + len(rows[1])


def appends_through_the_items_of_a_dict(net, x):
    d = {"a": [], "b": []}
    for k, v in d.items():
        v.append(k)
    d["a"].append("c")
    for v in d.values():
        v.append(1)
    if x.sum() > 0:
        d["b"].append(2)
    else:
        d["b"].append(3)
    return x * len(d["a"]) + len(d["b"])


def appends_to_a_list_that_may_have_been_replaced(net, x):
    first = [1]
    rows = [first]
    if x.sum() > 0:
        rows[0] = [5]
    first.append(2)
    return x * len(rows[0])


def appends_to_a_list_in_one_that_may_grow(net, x):
    first = [x]
    rows = [first]
    first.append(x)
    if x.sum() > 0:
        rows.append([x])
    first.append(x)
    return x * len(rows[0])


def grows_rows_of_a_list(net, x):
    rows = [[], []]
    while torch.abs(x).sum() > 1:
        for row in rows:
            row.append(x)
        x = x * 0.5
    return x * (1 + len(rows[0]))


def sets_items_of_a_repeated_list(net, x):
    flags, count = [False] * 3, 0
    for i in range(3):
        if flags[i]:
            continue
        count += 1
        for j in range(i + 1, 3):
            if x[0, i] > x[0, j]:
                flags[j] = True
    return x * count, flags, 2 * [count]


def takes_rows_apart_by_zip(net, x):
    rows = [(x + i, x * i) for i in range(3)]
    sums, products = zip(*rows, strict=True)
    if x.sum() > 0:
        return torch.stack(sums), products
    return torch.cat(products), sums


PROGRAMS = [
    sets_items_of_a_repeated_list,
    takes_rows_apart_by_zip,
    appends_where_the_data_says,
    appends_in_a_loop_that_reads_before,
    appends_to_a_tuple_of_lists_in_a_loop,
    counts_in_a_nested_list,
    counts_in_a_nested_dict,
    sets_tensors_of_a_cache,
    reads_a_list_that_the_loop_changes_where_the_data_says,
    sets_an_entry_that_the_data_chooses,
    appends_through_a_sum_of_lists,
    appends_through_a_repeated_list,
    appends_through_enumerate_and_zip,
    appends_through_reversed_and_max,
    appends_through_map_and_a_comprehension,
    appends_through_the_items_of_a_dict,
    appends_to_a_list_that_may_have_been_replaced,
    appends_to_a_list_in_one_that_may_grow,
    grows_rows_of_a_list,
]
