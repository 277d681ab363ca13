"""`chunk`, `split`, `unbind` and their like along a dimension that the call decides.

Each is equal to eager at every size, or raises what eager does.
"""

import pytest
import torch

import dycl
from dycl.diag import CompileErrors
from dycl.tools.same import value_difference
from tools.size_sweep.comparing import SIZES, compiled, same_at_every_size


def joined(x):
    return torch.cat([part * 2 for part in x.chunk(4)])


def in_two(x):
    first, second = x.chunk(2)
    return first, second + 1


def guided(x):
    first, second = torch.chunk(x, 2, dim=0)
    return first + 3 * (second - first)


def largest(x):
    result = x.new_zeros(5)
    for part in x.split(3, dim=0):
        result = result + part.sum(0)
    return result


def numbered(x):
    return torch.cat([part * i for i, part in enumerate(x.split(4))])


def written_in_parts(x):
    y = x + 1
    for part in y.split(4):
        part.mul_(2)
    return y


def written_as_a_whole(x):
    y = x + 1
    first = y.split(3)[0]
    y.mul_(2)
    return first


def counted(x):
    parts = x.split(4)
    return len(parts), parts[-1], len(x.chunk(x.size(0) + 1)), x.split(2)


def rows(x):
    return [row * 2 for row in x.unbind(0)]


def a_pair(x):
    one, other = x.unbind(0)
    return one + other


def returned(x):
    return x.split(4)


def in_pairs(x):
    y = x * 2
    return [one + other for one, other in zip(x.split(4), y.split(4), strict=False)]


def of_a_size(x):
    later = x[1:]
    return later.size(0), later.numel(), len(x[: later.size(0)]), list(later.shape)


FUNCTIONS = [
    *(joined, in_two, largest, numbered, written_in_parts),
    *(written_as_a_whole, counted, rows, a_pair, of_a_size),
    *(returned, in_pairs),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_parts_at_every_size(function):
    same_at_every_size(function, ("n", 5))


PARTS = {
    "chunk": lambda x: x.chunk(3),
    "split": lambda x: x.split(3),
    "unbind": lambda x: x.unbind(0),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_that_a_side_of_a_decision_returns(name):
    cut = PARTS[name]

    def of_a_side(x):
        if x.sum() > 0:
            return x, cut(x)
        return -x, cut(x + 1)

    net = compiled(of_a_side, ("n", 5))
    taken = set()
    for n in SIZES:
        for x in (torch.ones(n, 5), -torch.ones(n, 5)):
            assert value_difference(of_a_side(x), net(x)) is None
            taken.add(net.path[0].taken)
    assert taken == {True, False}


def test_halves_that_have_to_be_alike():
    # Of three rows, eager's first half is two, and the other one is broadcast.
    same_at_every_size(guided, ("n", 5), [n for n in SIZES if n != 3])


CALLS = {
    "cummax": (lambda x: x.cummax(1), (3, "n")),
    "cummin": (lambda x: torch.cummin(x, 0).indices, ("n", 5)),
    "diff": (lambda x: (torch.diff(x, dim=1), x.diff(2)), (3, "n")),
    "integrals": (
        lambda x: (
            torch.trapezoid(x),
            torch.trapz(x, dx=2, dim=1),
            torch.cumulative_trapezoid(x, dim=1),
        ),
        (3, "n"),
    ),
    "of a row": (lambda x: torch.combinations(x[0]), (3, "n")),
    "powers of a row": (lambda x: torch.vander(x[0], 3), (3, "n")),
    "vander": (lambda x: (torch.vander(x, 3, True), torch.vander(x)[:, :2]), ("n",)),
    "columns": (lambda x: [p * 2 for p in x.hsplit(2)], ("n", 4)),
    "halves of rows": (lambda x: torch.vsplit(x, 2)[1] + 1, ("n", 5)),
    "of a third dim": (lambda x: torch.dsplit(x, (2,))[1] * 2, (2, 3, "n")),
    "numel of sizes": (
        lambda x: (x + x.size().numel(), x.view(x.shape.numel()), x.shape[:1].numel()),
        ("n", 5),
    ),
    "logspace": (lambda x: torch.logspace(0, 1, x.size(0), 2.0), ("n",)),
    "gradient": (lambda x: torch.gradient(x, dim=1, edge_order=2)[0], (3, "n")),
    "spaced": (lambda x: torch.gradient(x, spacing=2.0), ("n", 5)),
    "triangles": (
        lambda x: (
            torch.tril_indices(x.size(0), 4),
            torch.triu_indices(x.size(0), x.size(0), 1),
        ),
        ("n",),
    ),
    "of a triangle": (
        lambda x: x[torch.tril_indices(x.size(0), x.size(1)).unbind()],
        ("n", "n"),
    ),
    "combinations": (lambda x: torch.combinations(x, with_replacement=True), ("n",)),
    "windows": (
        lambda x: (
            torch.hann_window(x.size(0)),
            torch.hamming_window(x.size(0), False),
            torch.blackman_window(x.size(0), dtype=torch.float64),
            torch.bartlett_window(x.size(0) + 1),
        ),
        ("n",),
    ),
    "stft": (
        lambda x: x.stft(8, window=torch.hann_window(8), return_complex=True).abs(),
        ("n",),
    ),
    "some frames": (
        lambda x: torch.stft(
            x, 8, 3, 6, center=False, normalized=True, return_complex=False
        ),
        (2, "n"),
    ),
    "interlaced": (
        lambda x: torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2]], 1),
        (2, 4, "n"),
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_calls_at_every_size(name):
    same_at_every_size(*CALLS[name])


def test_extremes_keep_a_nan_and_the_last_of_equal_ones():
    x = torch.tensor([1.0, 3.0, 3.0, float("nan"), 2.0, 4.0, 4.0])

    def extremes(x):
        return x.cummax(0), x.cummin(0)

    net = compiled(extremes, ("n",))
    for given in (x, x[:3], x.flip(0), x.int().float()):
        assert value_difference(extremes(given), net(given), 0.0, "it") is None


def kept_views(x):
    y, views = x + 1, []
    for i in range((x.size(0) + 3) // 4):
        views.append(y[i * 4 : (i + 1) * 4])
    y.add_(1)
    return views[0]


def test_a_write_that_a_list_of_views_would_show_is_refused():
    with pytest.raises(CompileErrors, match="changes a tensor that is used"):
        compiled(kept_views, ("n", 5))


def test_gradients_by_coordinates_are_refused():
    with pytest.raises(CompileErrors, match="by coordinates"):
        compiled(lambda x: torch.gradient(x, spacing=[torch.arange(7.0)]), ("n",))


def test_the_longest_of_three():
    def padded(x):
        return torch.nn.utils.rnn.pad_sequence([x, x[:1], x[:2]])

    same_at_every_size(padded, ("n", 5))


def test_what_is_padded_may_be_of_no_columns():
    def padded(x):
        return torch.nn.utils.rnn.pad_sequence([x[0], x[0, 1:], x[0, :2]])

    same_at_every_size(padded, (3, "n"))


def around(x):
    return torch.nn.functional.pad(x, (1, 2), "circular")


def test_the_ends_of_rows_go_around():
    same_at_every_size(around, ("n", 3, 4))


def test_around_rows_of_any_length():
    """Where they are too short to go around once, eager raises."""
    same_at_every_size(around, (2, 3, "n"))


@pytest.mark.filterwarnings("ignore")
def test_frames_of_a_fixed_size():
    def frames(x):
        return torch.stft(x, 4, 2, return_complex=True).abs(), x.cummax(0)[0]

    x = torch.randn(11)
    net = dycl.compile(frames, (x,))
    assert value_difference(frames(x), net(x), 1e-5, "it") is None


def interleaved(x):
    """Every other column, as positions are written by sine and cosine."""
    places = torch.arange(x.size(0), dtype=torch.float32).unsqueeze(1)
    table = torch.zeros(x.size(0), 4)
    table[:, 0::2] = torch.sin(places * torch.tensor([1.0, 0.1]))
    table[:, 1::2] = torch.cos(places * torch.tensor([1.0, 0.1]))
    y = x.clone()
    y[:, 1:3] = x[:, :2]
    y[..., ::3] += x[:, :2]
    y[1:, ::2] = x[1:, :2] * 2
    return x + table, y


def test_columns_of_rows_of_any_number():
    same_at_every_size(interleaved, ("n", 4))


def test_a_range_from_its_end():
    def backwards(x):
        n, y = x.size(0), x.sum(0)
        for t in reversed(range(n)):
            y = y * 0.5 + x[t]
        for t in reversed(range(1, n, 3)):
            y = y * 1.5 - x[t]
        for t in reversed(range(n, 2, -2)):
            if y[0] > 3:
                break
            y = y + t
        return y

    same_at_every_size(backwards, ("n", 3), (8, 0, 1, 2, 3, 4, 5, 6, 7, 9))
