"""Tensors changed in loops and behind `break`, and used afterwards; of self and x."""

import torch


def in_a_loop_of_a_branch(self, x):
    y = torch.zeros(2, 4)
    if x.sum() > 0:
        while y.sum() < 3:
            y[1] = y[1] + x.abs().max() + 0.5
    return y + 1


def until_a_break(self, x):
    y = torch.zeros(3, 4)
    for k in range(2, 5):
        y[k % 3] += x[0] * k
        if y.sum() > 4:
            break
    return y[k % 3], y, k


def until_a_break_of_a_branch(self, x):
    y = torch.zeros(3, 4)
    view = y[2]
    if x[0, 0] > 0:
        for k in range(2, 5):
            y[k % 3] += x[0] * k
            if y.sum() > 4:
                break
        count = k * 2
    else:
        count = 1
    return y + 1, view * 2, count


def by_a_view_until_a_break(self, x):
    y = x * 1
    view = y[0]
    for k in range(3):
        view.add_(k)
        if y.sum() > 2:
            break
        y.mul_(2)
    return y + 1, view * 2, k


def by_a_view_of_nothing_else(self, x):
    view = (x * 1)[0]
    for k in range(3):
        view.add_(k)
        if view.sum() > 2:
            break
    return view * 2, k


def by_a_function_that_returns_early(self, x):
    y = torch.zeros(3, 4)

    def put(i, limit):
        if x.sum() > limit:
            y[i] = x[0]
            return True
        if x[0, 0] > 0:
            y[i] += 1
            return False
        y[0] -= 1
        return False

    one, two = put(0, 0), put(1, 1)
    if one and not two:
        return y, one
    return y + 1, two


def until_nothing_moves(self, x):
    """Fixed point by Anderson's method: the last three iterates in a ring."""

    def step(z):
        return torch.tanh(z * 0.5 + x[0])

    steps, values = torch.zeros(3, 4), torch.zeros(3, 4)
    values[0] = step(steps[0])
    steps[1], values[1] = values[0], step(values[0])
    for k in range(2, 5):
        n = min(k, 3)
        moves = values[:n] - steps[:n]
        weights = torch.softmax(-moves.abs().sum(1), 0)
        steps[k % 3] = weights @ values[:n]
        values[k % 3] = step(steps[k % 3])
        if (values[k % 3] - steps[k % 3]).norm() < 0.05:
            break
    return steps[k % 3], k


def parts_of_tensors_that_are_left(self, x):
    """Suppression of boxes: each iteration has boxes of its own."""
    boxes, found = torch.arange(12.0).view(3, 4).fmod(5) + x.abs(), []
    while boxes.size(0):
        near = boxes[:, 0] >= boxes[0, 0]
        boxes[0, :3] = boxes[near, :3].sum(0)
        found.append(boxes[0])
        boxes = boxes[~near]
    return torch.stack(found)


def parts_in_one_of_two_lists(self, x):
    y, large, small = x + torch.zeros(3, 1), [], []
    while y.sum() < 30:
        y[0] = y[1] * 2
        if y[0, 0] > 3:
            large.append(y[0])
        else:
            small.append(y[1])
        y = y + 2
    return len(large), small, sum(large, torch.zeros(4))


PROGRAMS = [
    in_a_loop_of_a_branch,
    until_a_break,
    until_a_break_of_a_branch,
    by_a_view_until_a_break,
    by_a_view_of_nothing_else,
    by_a_function_that_returns_early,
    until_nothing_moves,
    parts_of_tensors_that_are_left,
    parts_in_one_of_two_lists,
]


def part_before_a_write(self, x):
    y, found = x + torch.zeros(3, 1), []
    while y.sum() < 30:
        found.append(y[0])
        y[0] = y[1] * 2  # refused
        y = y + 1
    return torch.stack(found)


def parts_of_one_tensor(self, x):
    y, found = x + torch.zeros(3, 1), []
    while y.sum() < 30:
        y[0] = y[0].abs() + 2  # refused
        found.append(y[0])
    return torch.stack(found)


def item_that_is_written_to(self, x):
    y, found = x + torch.zeros(3, 1), []
    while y.sum() < 30:
        y[0] = y[1] * 2  # refused
        found.append(y[0])
        found[-1].add_(1)
        y = y + 1
    return torch.stack(found)


def tensor_with_another_name(self, x):
    y, found = x + torch.zeros(3, 1), []
    last = y * 1
    while y.sum() < 30:
        last += 1  # refused
        y[0] = y[1] * 2  # refused
        found.append(y[0])
        last = y
        y = y + 1
    return torch.stack(found), last


def tensor_behind_the_loop(self, x):
    y, found = x + torch.zeros(3, 1), []
    while y.sum() < 30:
        y[0] = y[1] * 2  # refused
        found.append(y[0])
        if y[0, 0] > 3:
            break
        y = y + 1
    y += 100
    return torch.stack(found), y


REFUSED = dict.fromkeys(
    (
        part_before_a_write,
        parts_of_one_tensor,
        item_that_is_written_to,
        tensor_with_another_name,
        tensor_behind_the_loop,
    ),
    "used afterwards",
)
