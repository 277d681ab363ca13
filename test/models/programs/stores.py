"""Tensors changed by subscript, where nobody else sees it; functions of self and x."""

import torch
from torch import nn


class Stores(nn.Module):
    """A model whose forward is a function of `self` and `x`."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.linear = nn.Linear(4, 4)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        return self.function(self, x)


def by_slices(self, x):
    y = x.clone()
    y[:, 0] = 0
    y[0, 1:3] += 5
    y[..., -1] = x[:, 0] * 2
    if x.sum() > 0:
        y[:, 1] = y[:, 2]
        return y
    y[0] = y[0] * 2
    y[:, ::2] -= y[:, 1::2]
    return y


def on_one_side(self, x):
    y = self.linear(x)
    z = y
    if x.sum() > 0:
        y[:, 0] = 0
    z[0, 1] += 1
    return y, z


def before_an_early_exit(self, x):
    y = x * 2
    if x[0, 0] > 0:
        if x[0, 1] > 0:
            y.neg_()
        return y
    return y + 1


def on_both_sides(self, x):
    out = torch.zeros(2, 4)
    for i in range(2):
        if x[0, i] > 0:
            out[i] = self.layers[i](x)[0]
        else:
            out[i, :2] -= 1
    out[:, 0] *= 3
    return out


def on_nested_sides(self, x):
    y = x * 2
    if x[0, 0] > 0:
        if x[0, 1] > 0:
            y[0, 0] = 7
        elif x[0, 2] > 0:
            return y
        else:
            y[0, 1] **= 2
        y[0] += 1
    else:
        y.mul_(3)
    return y + 1


def before_an_exit(self, x):
    y = x * 2
    if x[0, 0] > 0:
        y[:, 1:] = 4
        return y.sum(1)
    y[:, 0] /= 2
    return y.sum(1)


def by_mask(self, x):
    y = self.linear(x)
    mask = y > 0
    y[mask] = 1.0
    y[~mask] *= 2
    z = torch.where(mask, y, -y)
    if x.sum() > 0:
        z[mask] += x.sum()
    z[z[:, 0] > 0] = -1
    return y, z


def by_chains(self, x):
    y = x.reshape(2, 2) * 2
    y[0][1] = 5
    y[1][:1] += 2
    t = y[0]
    t[0] = 9
    if x.sum() > 0:
        y[1][1] = x[0, 0]
    return y


def casts_to_its_dtype(self, x):
    counts = torch.zeros(1, 4, dtype=torch.int64)
    counts[:, :2] = x[:, :2] * 10
    counts[0, 3] = 2.9
    counts[x > 0] = 1.7
    flags = x > 0
    if x.sum() > 0:
        flags[:, 0] = 3
    wide = torch.zeros(2, 3, 4)
    wide[:, 1] = x
    wide[0, :, :2] = x[None, None, :, 2:]
    wide[None, ..., 3] += 1
    return counts, flags, wide


def in_a_loop_on_data(self, x):
    y = x.abs() + 1
    steps = 0
    while y.sum() < 30:
        y[:, 1:3] *= 2
        if y[0, 1] > 8:
            y[0, 0] += 3
        steps = steps + 1
    return y, steps


def in_nested_loops(self, x):
    y = x.abs() + 1
    n = x.sum() * 0
    while n < 3:
        m = n * 1
        while m < 3:
            m = m + 1
            y[0, 0] += m
            if y[0, 0] > 12:
                y[:, 1] = -m
                break
        n = n + 1
        if y[0, 0] > 16:
            continue
        y.mul_(1.5)
    return y


def through_two_names(self, x):
    y = x + 1
    z = y
    z[:, 0] = 3
    pair = (y, x)
    if x.sum() > 0:
        return pair[0] + z
    return pair[1], y


def of_an_own_copy(self, x):
    y = x.expand(3, 4).clone()
    t = y[1].clone()
    y[1] = 0
    if t.sum() > 0:
        y[2] = t
    return y, t


def of_parameters(self, x):
    y = self.linear.weight * 1
    y[0] = self.linear.bias
    if x.sum() > 0:
        y[1:3] += self.linear.bias
    return x @ y


def at_indices(self, x):
    y = torch.zeros(4, 3)
    order = x[0].argsort()
    y[order] = self.linear(x).view(4, 1)
    y[order[:2], 1] += 10
    y[order[2:], [0, 2]] *= -1
    y[[0, -1]] = y[[3, 2]] + 1
    if x.sum() > 0:
        y[1:, x[0, :3].argsort()] = y[1:, [2, 1, 0]].clone()
    return y


def view_used_afterwards(self, x):
    y = x * 2
    view = y.view(-1)
    y[0, 0] = 1
    return y, view


def base_used_afterwards(self, x):
    y = x * 2
    view = y[:, 1:]
    view[0, 0] = 1
    if x.sum() > 0:
        return view
    return y


def view_changed_on_one_side(self, x):
    y = x * 2
    row = y[0]
    if x.sum() > 0:
        row[0] = 1
    return y


def held_in_a_tuple(self, x):
    y = x * 1
    pair = (y[0], y)
    y[0, 1] = 2
    return pair[0]


def writes_to_parts(self, x):
    y = x * 2
    y[0].mul_(3)
    y[:, 1].masked_fill_(x[:, 0] > 0, 7.0)
    y[:, 1:][0, 1:].zero_()
    y[:, 0], y[:, 1] = y[:, 1], y[:, 0]
    return y


def several_views(self, x):
    y = x * 2
    row, transposed, flat = y[0], y.t(), y.view(-1)
    row.add_(1)
    y += 1
    row.mul_(2)
    return y, row, transposed, flat


def at_a_number_of_the_data(self, x):
    y = torch.zeros(6, 4)
    k = int(x.abs().sum()) % 4
    j = x[0].argmax()
    y[k] = x[0]
    y[k, j] = 9
    y[..., j] *= 2
    y[k][1] -= x[0, 0]
    y[-1 - k, 1:3] += x[0, j]
    if x.sum() > 0:
        y[:, j.item()] = torch.arange(6)
    counts = torch.zeros(2, 4, dtype=torch.int64)
    counts[:, k] = x[0, :2] * 10
    counts[1, k] += 3
    flags = x > 0
    flags[0, k] = 2
    return y, counts, flags


def at_bounds_of_the_data(self, x):
    y = torch.zeros(6, 4)
    k = int(x.abs().sum()) % 7
    y[k:] = x
    y[k - 3 : k + 2, 1:3] -= x[:, :2]
    y[:-k] += 1
    start = k % 5
    y[start : start + 2, 1] = x[0, 2:]
    y[k:2, 3] = 8
    if x.sum() > 0:
        y[:, k:] *= 2
    return y


def in_a_loop_at_its_counter(self, x):
    scores = self.linear(x)
    order = torch.full((6,), -1)
    seen = torch.zeros(4, dtype=torch.bool)
    n = 0
    while scores.max() > -1e8 and n < 6:
        best = scores.argmax(-1)
        order[n] = best
        seen[best] = True
        scores[0, best.item()] = -1e9
        n += 1
        if x[0, n % 4] > 1.5:
            break
    return order, seen, n


def view_from_outside_a_loop(self, x):
    y = x.abs() + 1
    row, flat = y[0], y.view(-1)
    while y.sum() < 14:
        y[0, 0] += 1
        flat[1:].mul_(1.5)
        flat[2].add_(row[0].clone())
        if row[1] > 3:
            row.sub_(0.5)
    return y, row, flat


def views_of_another_order(self, x):
    y = x * 2
    transposed = y.t()
    transposed.add_(1)
    transposed[0] = 5
    square = y.view(2, 2)
    square.t()[1] += 2
    square[0].mul_(3)
    cube = square.unsqueeze(0).permute(2, 0, 1)
    cube[1] -= 1
    y.T[3] = 4
    y.flatten()[1] = -1
    if x.sum() > 0:
        square.squeeze().transpose(0, 1).mul_(2)
    return y, transposed, square, cube


def views_of_parts(self, x):
    y = x.expand(3, 4).clone()
    first, second = y.chunk(2, dim=-1)
    first.add_(second)
    p, _, r = torch.unbind(y)
    p.zero_()
    y.split([1, 3], dim=1)[1].add_(2)
    y.narrow(0, 1, 2).copy_(x)
    y.select(1, 2).fill_(8)
    if x.sum() > 0:
        torch.select(y, 0, -1).sub_(2)
    return y, first, second, p, r


def view_changed_on_both_sides(self, x):
    y = x * 2
    row = y.view(-1)
    if x.sum() > 0:
        if x[0, 0] > 0:
            row.add_(1)
        else:
            y[0, 1] = 4
    else:
        row[2:].zero_()
    row[0] -= 1
    return row, y


def writes_in_a_row(self, x):
    y = x.expand(3, 4).clone()
    y[0].sub_(0.5).relu_()
    y[:, 1:3].add_(1).mul_(2)
    torch.relu_(y[1])
    y[0], y[1] = y[1].clone(), y[0].clone()
    y[2] = y[0]
    for row, v in zip(y, x[0], strict=False):
        if v > 0:
            row.clamp_(max=1)
    return y


def view_that_the_data_chooses(self, x):
    y = torch.zeros(4, 4)
    k = int(x.abs().sum()) % 4
    row = y[k]
    row += x[0]
    if x.sum() > 0:
        row.mul_(2)
    y[:, k].add_(3)
    return y, row


def numbers_of_the_data(self, x):
    total = x.sum().item()
    k = int(total)
    y = torch.zeros(2, 4)
    y[0, k % 4] = k
    y[1, -1] = k / 3
    y[1, k % 4 :] += total
    y[0] *= total
    y[y > 1] = total
    z = torch.arange(4)
    z[k % 3] = total
    z[2:] += k
    if k > 0:
        y.index_copy_(0, torch.tensor([k % 2]), torch.full((1, 4), total))
    return y, z, torch.tensor([k, 0, k + 1]), torch.tensor([total, 1.0])


def from_the_end(self, x):
    y = torch.zeros(5)
    y[-3:-1] = x[0, :2]
    y[-1] = x[0, 3]
    y[-5] += 2
    z = torch.zeros(2, 3, 4)
    z[-1, -2:, -1] = x[0, 0]
    z[-2, -1, -4] = x[0, 1]
    z[-1][-1][-1] -= 1
    if x.sum() > 0:
        z.select(-1, -2).fill_(3)
        z[0, 0, -1] = x.sum().item()
    return y, z, torch.select_scatter(x[0], x[0, 0], 0, -2)


def into_what_has_a_size_of_the_data(self, x):
    y = x[x > -0.5] * 2
    first = y.clone()
    if len(y) > 1:
        y[1:] = y[1:] - y[:-1]
        y[-1] += 3
        y[int(x[0, 0] > 0)] = x[0, 1]
        first[1 : len(y)] = y[0:-1]
        first[:1] = y[-1:]
    wide = y.unsqueeze(1).repeat(1, 4)
    wide[:, int(x[0, 1] > 0)] = y * 2
    wide[..., 3] = y.clone()
    wide[:] = wide + x
    grid = x[:, x[0] > -0.5].repeat(3, 1)
    grid[1:, 1 : len(y)] = grid[:2, : len(y) - 1].clone() * 3
    grid[0, : len(first)] = first
    return y, first, wide, grid


def of_a_size_of_the_data(self, x):
    y, counts = torch.zeros(6, 2), torch.zeros(3, 4, dtype=torch.int64)
    chosen = x[x > 0]
    y[1 : 1 + len(chosen), 0] = chosen
    y[2 : 2 + len(chosen), 1] -= chosen
    y[5:] = chosen[:1] if len(chosen) > 0 else 7
    k = int(x.abs().sum()) % 4
    counts[:, :k] = torch.ones(3, k) * 2.5
    if len(chosen) == 1:
        counts[:, 1:] = chosen * 10
    return y, counts


def through_an_ellipsis(self, x):
    head, tail = torch.split(x, [3, 1], -1)
    y = x.new_empty(2, 1, 4)
    y[..., :3].copy_(head)
    y[..., 3:].copy_(tail.expand(2, -1, -1))
    y[0, ..., 1:3].mul_(2)
    if x.sum() > 0:
        y[..., ::2].add_(y[..., 1::2])
    return y, y[1, ...]


def written_over_what_is_read(self, x):
    y = torch.cat([x, x])
    k = int(x[0, 0] > 0)
    y[k] = y[1 - k]
    return y


def columns_of_rows_that_a_run_finds(self, x):
    rows = torch.cat([x, -x, x * 2, x.flip(1)])
    found = rows[rows[:, 0] > 0]
    found[:, 2:] *= found[:, 1:2]
    found[:, :1].add_(found[:, 3:])
    return found


PROGRAMS = [
    columns_of_rows_that_a_run_finds,
    through_an_ellipsis,
    into_what_has_a_size_of_the_data,
    of_a_size_of_the_data,
    from_the_end,
    numbers_of_the_data,
    view_from_outside_a_loop,
    views_of_another_order,
    views_of_parts,
    view_changed_on_both_sides,
    writes_in_a_row,
    view_that_the_data_chooses,
    at_a_number_of_the_data,
    at_bounds_of_the_data,
    in_a_loop_at_its_counter,
    by_slices,
    on_one_side,
    before_an_early_exit,
    on_both_sides,
    on_nested_sides,
    before_an_exit,
    by_mask,
    by_chains,
    casts_to_its_dtype,
    in_a_loop_on_data,
    in_nested_loops,
    through_two_names,
    of_an_own_copy,
    of_parameters,
    at_indices,
    view_used_afterwards,
    base_used_afterwards,
    view_changed_on_one_side,
    held_in_a_tuple,
    writes_to_parts,
    several_views,
    written_over_what_is_read,
]


def overlapping_parts(self, x):
    y = x * 1
    y[:, 1:].add_(y[:, :-1])  # refused
    return y


def a_row_of_itself(self, x):
    y = x * 1
    y.add_(y[0])  # refused
    return y


def a_choice_of_views(self, x):
    y = x * 1
    view = y[0] if x.sum() > 0 else y.view(-1)
    view.add_(1)  # refused
    return y


def a_view_of_one_element_for_many(self, x):
    y = x[:, :1] * 1
    y.expand(3, 4).add_(1)  # refused
    return y


def overlapping(self, x):
    y = x * 1
    y[:, 1:] = y[:, :-1]  # refused
    return y


def integers_divided(self, x):
    y = torch.arange(4)
    y[int(x[0, 0] > 0)] //= 2  # refused
    return y


def into_a_given_tensor(self, x):
    y = torch.zeros(1, 4)
    torch.add(x, 1, out=y)  # refused
    return y


def at_two_masks(self, x):
    y = x * 1
    y[y[:, 0] > 0, y[0] > 0] = 0  # refused
    return y


def rows_of_those_that_a_run_finds(self, x):
    y = torch.cat([x, -x])
    y = y[y[:, 0] > 0]
    y[1:] -= y[:1]  # refused
    return y


REFUSED = {
    rows_of_those_that_a_run_finds: "overlap",
    overlapping_parts: "through another view",
    a_row_of_itself: "through another view",
    a_choice_of_views: "used afterwards",
    a_view_of_one_element_for_many: "several elements share memory",
    overlapping: "overlap",
    integers_divided: "`//=` of integers at a data-dependent index",
    into_a_given_tensor: "`out=` cannot be compiled",
    at_two_masks: "several masks at once",
}
