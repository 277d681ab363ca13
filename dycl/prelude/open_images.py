"""Functions of images whose sizes a run decides: `F.fold`, `F.affine_grid` and others.

What torch computes by indices that it reckons from the sizes is slices, pads and sums
of whole images here, so that an infinity stays where eager has it.
"""

from typing import Any

import torch
import torch.nn.functional as F


def fold(
    input: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """`F.fold`: blocks [n, c * h * w, count] summed into images [n, c, height, width].

    Raises RuntimeError: there are not as many blocks as the size has places.
    """
    if input.dim() == 2:
        sizes = output_size, kernel_size, dilation, padding, stride
        return _folded(input.unsqueeze(0), *sizes)[0]
    return _folded(input, output_size, kernel_size, dilation, padding, stride)


def _folded(
    input: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any,
    padding: Any,
    stride: Any,
) -> Any:
    height, width = _pair(output_size)
    (kh, kw), (dh, dw) = _pair(kernel_size), _pair(dilation)
    (ph, pw), (sh, sw) = _pair(padding), _pair(stride)
    rows = (height + 2 * ph - dh * (kh - 1) - 1) // sh + 1
    columns = (width + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    if input.size(1) % (kh * kw) != 0:
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of "
            f"kernel_size, but got input.size(1)={input.size(1)}"
        )
    if rows < 1 or columns < 1 or input.size(2) != rows * columns:
        raise RuntimeError(
            "expected size of input's dimension 2 to match the calculated number of "
            f"sliding blocks {rows} * {columns}, but got input.size(2)={input.size(2)}"
        )
    channels = input.size(1) // (kh * kw)
    blocks = input.reshape([input.size(0), channels, kh, kw, rows, columns])
    result: Any = None
    for i in range(kh):
        for j in range(kw):
            part = _spread(blocks[:, :, i, j], sh, sw)
            beside = (j * dw, (kw - 1 - j) * dw, i * dh, (kh - 1 - i) * dh)
            part = F.pad(part, beside)
            result = part if result is None else result + part
    return result[:, :, ph : ph + height, pw : pw + width]


def _pair(given: Any) -> Any:
    if isinstance(given, int):
        return given, given
    return given[0], given[1]


def _spread(x: Any, down: int, right: int) -> Any:
    """Zeros after each row and column of [n, c, h, w]."""
    if down == 1 and right == 1:
        return x
    x = F.pad(x.unsqueeze(3).unsqueeze(5), (0, right - 1, 0, 0, 0, down - 1))
    return x.flatten(4, 5).flatten(2, 3)


def affine_grid(theta: Any, size: Any, align_corners: Any = None) -> Any:
    """`F.affine_grid`: matrices [n, d, d + 1] -> points [n, ..., d], for d of 2 or 3.

    Raises ValueError: the matrices have another shape, or a size is zero.
    """
    dims = len(size) - 2
    if dims not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine "
            f"transforms, respectively. Got size {size}."
        )
    if theta.dim() != 3 or theta.size(1) != dims or theta.size(2) != dims + 1:
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape "
            f"Nx{dims}x{dims + 1} for size {size}. Got {theta.shape}."
        )
    for count in size:
        if count < 1:
            raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if theta.size(0) != size[0]:
        raise ValueError(f"Expected a batch of {size[0]} matrices. Got {theta.shape}.")
    moved = theta.view([theta.size(0), *[1] * dims, dims, dims + 1])
    result = moved[..., dims]
    for d in range(dims):
        line = _line(size[d + 2], align_corners is True).to(theta.dtype)
        along = line.view([-1] + [1] * (dims - d))
        result = result + along * moved[..., dims - 1 - d]
    return result


def _line(count: int, is_to_corners: bool) -> Any:
    """Points from -1 to 1 in the middle of as many pixels, or up to their corners."""
    places = torch.arange(count) * 2 - (count - 1)
    return places / (max(count - 1, 1) if is_to_corners else count)


def pad_around(input: Any, pad: Any, mode: str = "circular", value: Any = None) -> Any:
    """`F.pad` in mode `circular`: what is at one end goes on behind the other.

    Raises RuntimeError: more is wanted than there is, or less than nothing is left; so
    is what torch does not initialise, of a dim that is padded and cut.
    """
    count = len(pad) // 2
    if input.dim() not in (count + 1, count + 2):
        raise NotImplementedError(
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for "
            "now"
        )
    for i in range(count):
        before, after = pad[2 * i], pad[2 * i + 1]
        moved = input.movedim(-1 - i, 0)
        size = moved.size(0)
        if before > size or after > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if before + after + size < 0:
            raise RuntimeError(
                "Negative padding value is resulting in an empty dimension"
            )
        kept = moved[max(-before, 0) : size + min(after, 0)]
        if max(before, after) > kept.size(0):
            raise RuntimeError("circular padding by what negative padding takes away")
        parts = [kept]
        if before > 0:
            parts = [kept[-before:], *parts]
        if after > 0:
            parts = [*parts, kept[:after]]
        moved = torch.cat(parts) if len(parts) > 1 else kept
        input = moved.movedim(0, -1 - i)
    return input


def resize_by_area(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "area",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: bool = False,
) -> Any:
    """`F.interpolate` in mode `area`: the mean of the pixels that a new one covers.

    Raises RuntimeError: the image is empty, or a volume has no channels. ValueError:
    neither size nor factor.
    """
    dims = input.dim() - 2
    if (size is None) == (scale_factor is None):
        raise ValueError("only one of size or scale_factor should be defined")
    wanted = size
    if size is None:
        wanted = _multiplied(input, scale_factor)
    elif isinstance(size, int):
        wanted = [size] * dims
    if dims == 3 and input.size(1) < 1:
        raise RuntimeError("Expected input to have non-zero size for channels")
    for d in range(dims):
        if input.size(d + 2) < 1:
            raise RuntimeError("Input and output sizes should be greater than 0")
        input = _averaged(input.movedim(d + 2, -1), wanted[d]).movedim(-1, d + 2)
    return input


def upsample(module: Any, input: Any) -> Any:
    """`nn.Upsample`: its mode and `recompute_scale_factor` say what resizes."""
    again = module.recompute_scale_factor
    how = module.size, module.scale_factor, module.mode, module.align_corners
    return F.interpolate(input, *how, recompute_scale_factor=again)


def resize_anew(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: bool = False,
) -> Any:
    """`F.interpolate` by a factor that is only asked for the new size.

    Raises ValueError: the size is given.
    """
    if size is not None:
        raise ValueError(
            "recompute_scale_factor is not meaningful with an explicit size."
        )
    wanted = _multiplied(input, scale_factor)
    return F.interpolate(input, wanted, None, mode, align_corners, antialias=antialias)


def _multiplied(image: Any, factor: Any) -> Any:
    """The sizes of an image but for batch and channels, times one factor or several."""
    dims = image.dim() - 2
    factors = [factor] * dims if isinstance(factor, (int, float)) else factor
    return [int(image.size(d + 2) * factors[d]) for d in range(dims)]


def _averaged(x: Any, count: int) -> Any:
    """As many means along the last dim, of equal parts that share what they cut."""
    size, parts = x.size(-1), max(count, 1)
    places = torch.arange(count) * size
    first = places.div(parts, rounding_mode="floor")
    last = (places + (size + parts - 1)).div(parts, rounding_mode="floor")
    total = torch.where(first < last, x.index_select(-1, first), 0.0)
    for step in range(1, (size + parts - 1) // parts + 1):
        place = first + step
        part = x.index_select(-1, place.clamp(max=size - 1))
        total = total + torch.where(place < last, part, 0.0)
    return total / (last - first).to(x.dtype)


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """`F.pixel_unshuffle`: [..., c, h * r, w * r] -> [..., c * r * r, h, w].

    Raises RuntimeError: less than three dims, the factor does not divide a size, or the
    image is empty, of which torch gives another shape.
    """
    factor = downscale_factor
    if input.dim() < 3:
        raise RuntimeError(
            "pixel_unshuffle expects input to have at least 3 dimensions, but got "
            f"input with {input.dim()} dimension(s)"
        )
    count = input.dim() - 3
    before, channels = [input.size(d) for d in range(count)], input.size(-3)
    height, width = input.size(-2), input.size(-1)
    if factor < 1 or height % factor != 0 or width % factor != 0:
        raise RuntimeError(
            f"pixel_unshuffle expects height and width to be divisible by {factor}, "
            f"but input.size is {input.shape}"
        )
    if height == 0 or width == 0:
        raise RuntimeError("pixel_unshuffle of an empty image is not compiled")
    rows, columns = height // factor, width // factor
    parted = input.reshape([*before, channels, rows, factor, columns, factor])
    order = [count, count + 2, count + 4, count + 1, count + 3]
    turned = parted.permute([*range(count), *order])
    return turned.reshape([*before, channels * factor * factor, rows, columns])
