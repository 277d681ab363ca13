"""Images of dynamic height or width: blocks, grids, means of areas, wrapped borders."""

import pytest
import torch
import torch.nn.functional as F

import dycl
from dycl.diag import CompileErrors
from tools.size_sweep.comparing import MOST, SIZES, same_at_every_size


def folded(x):
    blocks = F.unfold(x, 2, padding=1)
    return F.fold(blocks, x.shape[2:], 2, padding=1)


def folded_apart(x):
    """Blocks that lie apart; the last rows and columns have none."""
    blocks = F.unfold(x[0], 2, stride=(3, 2))
    return F.fold(blocks, (x.size(2), x.size(3)), 2, stride=(3, 2))


def blocks_of_three(x):
    return F.unfold(x, 3)


def warped(x):
    theta = torch.tensor([[[0.9, 0.1, 0.0], [0.0, 1.1, 0.2]]]).expand(2, 2, 3)
    grid = F.affine_grid(theta, x.shape, align_corners=False)
    corners = F.affine_grid(theta, x.size(), align_corners=True)
    return F.grid_sample(x, grid, align_corners=False), corners


def reflected(x):
    grid = x[:, :2].permute(0, 2, 3, 1)
    return F.grid_sample(x, grid, "nearest", "reflection", align_corners=True)


def means(x):
    return F.interpolate(x, scale_factor=0.5, mode="area"), F.interpolate(
        x, size=(x.size(2), 4), mode="area"
    )


def resized_anew(x):
    """0.7 times 90 is rounded to less than 63; of 0 and 1 rows eager has none."""
    if x.size(2) < 2:
        return x
    y = F.interpolate(x, scale_factor=0.7, recompute_scale_factor=True)
    return y, F.interpolate(
        x,
        scale_factor=(1.7, 2),
        mode="bilinear",
        align_corners=True,
        recompute_scale_factor=True,
    )


def wrapped(x):
    return F.pad(x, (1, 2, 1, 0), "circular")


def cut_and_wrapped(x):
    return F.pad(x, (1, 2, -1, 1), "circular")


def parted(x):
    return F.pixel_unshuffle(x[:, :, :4, :4], 2)


pytestmark = pytest.mark.filterwarnings("ignore:Since version:UserWarning")
FUNCTIONS = [
    resized_anew,
    blocks_of_three,
    folded,
    folded_apart,
    means,
    reflected,
    warped,
    wrapped,
]


class Upsampled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.anew = torch.nn.Upsample(None, 0.7, recompute_scale_factor=True)
        self.area = torch.nn.Upsample(scale_factor=0.7, mode="area")
        self.twice = torch.nn.Upsample(scale_factor=2, mode="bilinear")

    def forward(self, x):
        return self.anew(x), self.area(x), self.twice(x)


def test_upsample():
    sizes = ({2: dycl.Dim("n", min=1, max=90)},)
    model = Upsampled().eval()
    net = dycl.compile(model, (torch.randn(1, 2, 8, 5),), dynamic_shapes=sizes)
    for run in (net, net.with_python_host()):
        for n in (2, 3, 10, 89, 90):
            x = torch.randn(1, 2, n, 5)
            for ours, eager in zip(run(x), model(x), strict=True):
                torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5)
        for n in (0, 1):
            with pytest.raises((RuntimeError, dycl.runtime.InputError)):
                run(torch.randn(1, 2, n, 5))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_an_image_of_any_height(function):
    same_at_every_size(function, (2, 3, "n", 5))


def test_an_image_of_any_width():
    same_at_every_size(wrapped, (2, 3, 5, "n"), (8, 0, 1, 2, MOST))


def test_what_is_cut_away_is_not_wrapped():
    # Of one row torch takes what it has not initialised.
    same_at_every_size(cut_and_wrapped, (2, 3, "n", 5), (8, 0, 2, 3, MOST))


def test_an_infinity_stays_where_it_is():
    """What is beside it in a block is no NaN."""

    def endless(x):
        return folded(x.masked_fill(x > 1, float("inf"))), means(x / (x - x))

    same_at_every_size(endless, (1, 2, "n", 4), (8, 3))


def test_an_empty_image_has_no_parts():
    # torch gives an empty image another shape than any other one.
    same_at_every_size(parted, (2, 3, "n", 6), [n for n in SIZES if n])


def padded(x):
    rows = [x, x[:1], x[:2]]
    left = torch.nn.utils.rnn.pad_sequence(rows, True, 2.0, padding_side="left")
    return torch.nn.utils.rnn.pad_sequence(rows), left


def test_rows_are_padded_to_the_longest():
    same_at_every_size(padded, ("n", 3), (8, 0, 1, MOST))


def test_parts_between_places():
    same_at_every_size(lambda x: x.tensor_split((1, 3)), ("n", 3), (8, 0, 1, 2, 3))


def windowed(x):
    """Padded up to whole windows, as in a Swin transformer, and cut back."""
    height, width = x.shape[1:3]
    right, below = (4 - width % 4) % 4, (4 - height % 4) % 4
    padded = F.pad(x, (0, 0, 0, right, 0, below))
    parts = padded.view(1, padded.size(1) // 4, 4, padded.size(2) // 4, 4, 3)
    mixed = parts.transpose(2, 3).flatten(3, 4).mean(3, keepdim=True)
    return padded, mixed, padded[:, :height, :width]


def test_an_image_is_padded_to_whole_windows():
    same_at_every_size(windowed, (1, "n", 5, 3))


def scaled(x):
    """By factors that are no binary fractions; small sizes stay as they are."""
    return [
        F.interpolate(x, scale_factor=factor, mode=mode)
        for factor in (0.6, 1.1, 2.1)
        for mode in ("nearest", "nearest-exact", "bilinear", "bicubic")
    ]


def test_an_image_is_scaled_by_any_factor():
    # Eager refuses an image that has no rows when it is smaller.
    same_at_every_size(scaled, (1, 2, "n", 9), [n for n in range(2, MOST + 1)])


@pytest.mark.parametrize("height", [9, 17, 31])
def test_an_image_of_known_size_is_scaled_by_any_factor(height):
    """`9 / 0.6` is 14.999..., and `9 * (1 / 0.6)` in f32 is 15."""

    def both(x):
        return [F.interpolate(x, scale_factor=factor) for factor in (0.6, 2.3)]

    class Both(torch.nn.Module):
        def forward(self, x):
            return both(x)

    x = torch.arange(height * 9.0).view(1, 1, height, 9)
    net = dycl.compile(Both().eval(), (x,))
    for ours, eager in zip(net(x), both(x), strict=True):
        torch.testing.assert_close(ours, eager, rtol=0, atol=0)


@pytest.mark.parametrize("dim", [2, 3])
def test_a_factor_that_rounds_is_refused_of_one_channel_as_well(dim):
    """`2.3 * 50` is 114.99...: that it can be reckoned for one row is no reason to
    refuse all others in a run."""

    class Scaled(torch.nn.Module):
        def forward(self, x):
            return F.interpolate(x, scale_factor=2.3)

    for most in (64, None):
        shapes = {"x": {dim: dycl.Dim("n", max=most)}}
        with pytest.raises(CompileErrors, match="2.3"):
            dycl.compile(
                Scaled().eval(), (torch.ones(1, 1, 9, 9),), dynamic_shapes=shapes
            )


def test_an_image_that_stays_as_large_is_copied():
    def resized(x):
        sizes = F.interpolate(x, scale_factor=2.1), F.interpolate(x, scale_factor=1.1)
        smooth = F.interpolate(x, scale_factor=1.1, mode="bilinear")
        solid = F.interpolate(x[None], scale_factor=1.1, mode="trilinear")
        return (
            *sizes,
            smooth,
            solid,
            F.interpolate(x[0], scale_factor=1.1, mode="linear"),
        )

    class Resized(torch.nn.Module):
        def forward(self, x):
            return resized(x)

    x = torch.arange(48.0).view(1, 1, 4, 12) ** 1.5
    net = dycl.compile(Resized().eval(), (x,))
    for ours, eager in zip(net(x), resized(x), strict=True):
        torch.testing.assert_close(ours, eager)
