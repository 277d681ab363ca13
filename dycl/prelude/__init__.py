"""Functions of libraries, written in Python that is compiled in their place.

What torch computes in C++ with decisions on its data, or Python with objects that a
network cannot hold, cannot be traced as one op. It is written here as a user would
write it, and a call of the library's function is a call of ours: its body is inlined,
its decisions are decisions, what it raises is raised. All its ops stand at the line of
the call, since that is what the user wrote.

    contexts    what `contextlib.contextmanager` makes
    counting    `torch.bincount`
    deques      `collections.deque`
    dict_classes  `dict` and `OrderedDict`, as bases of the user's own
    einops_packing   `einops.pack`, `unpack`, `einsum`, `parse_shape`
    einops_patterns  `einops.rearrange`, `einops.reduce`, `einops.repeat`
    fourier     `torch.fft`; what it gives are the tensors of `complex_numbers`
    complex_functions  `torch.einsum`, `cat` and its like of these
    statistics  `torch.cov`, `torch.corrcoef`, `F.gaussian_nll_loss`
    histograms  `torch.histogram`, `torch.histogramdd`
    least_squares  `torch.linalg.lstsq`
    iteration   `functools.reduce`, `itertools.accumulate` and its like
    lists       functions and methods of lists whose length the data decides
    places      `torch.take`, `torch.gcd`, `torch.lcm`, `F.one_hot`,
                `torch.repeat_interleave`, `torch.index_put` of masks
    pieces      `torch.tensor_split`, `torch.narrow`, `torch.combinations`,
                `torch.take_along_dim`, `torch.kron`
    generators  what takes items from a generator function one by one
    higher_order  `torch.cond`, `while_loop`, `map`, `torch.vmap`
    grouped     `torch.nn.functional.grouped_mm`
    sparse      `torch.sparse_coo_tensor`, and products of such matrices
    distributions  `torch.distributions.Normal`, `Categorical`, `Bernoulli`, and
                `kl_divergence`; `distribution_classes` are bases of the user's own
    sizes       `torch.onnx.operators.shape_as_tensor`
    instances   `torch.jit.isinstance` of a class
    polynomials `torch.special.legendre_polynomial_p` and its like
    open_sizes  `torch.chunk`, `torch.cummax`, `torch.gradient` and others over sizes
                that a call decides
    open_images  `F.fold`, `F.affine_grid`, `F.pixel_unshuffle`, circular `F.pad` and
                `F.interpolate` by area, of such images
    windows     `torch.stft`; `torch.hann_window` and its like of such sizes
    recurrent   recurrent layers over sizes that a call decides
    packed      `pack_padded_sequence`, `pad_packed_sequence`, recurrent layers between
    ordering    `bisect`, `heapq.nsmallest` and `nlargest`
    tables      dicts and sets whose keys the data decides
    sequences   objects that are gone over by number
    operators   methods of operators that may give `NotImplemented`
    wrappers    `nn.DataParallel.forward`, `torch.utils.checkpoint.checkpoint`
    refusals    what of all this is not compiled
"""

from collections.abc import Iterable, Mapping
from os.path import dirname

_HERE = "dycl.prelude"
_COMPLEX = f"{_HERE}.complex_numbers.Complex"

FUNCTIONS: Mapping[str, str] = {
    "collections.deque": f"{_HERE}.deques.deque",
    **{
        f"_bisect.{name}": f"{_HERE}.ordering.{name}"
        for name in ("bisect_left", "bisect_right", "insort_left", "insort_right")
    },
    **{
        f"heapq.{name}": f"{_HERE}.ordering.{name}"
        for name in ("nlargest", "nsmallest")
    },
    "_functools.reduce": f"{_HERE}.iteration.reduce",
    "itertools.chain.from_iterable": f"{_HERE}.iteration.from_iterables",
    **{
        f"itertools.{name}": f"{_HERE}.iteration.{name}"
        for name in (
            *("accumulate", "compress", "count", "cycle", "dropwhile"),
            *("filterfalse", "starmap", "takewhile"),
        )
    },
    **{
        f"einops.einops.{name}": f"{_HERE}.einops_patterns.{name}"
        for name in ("rearrange", "reduce", "repeat")
    },
    **{
        f"einops.{module}.{name}": f"{_HERE}.einops_packing.{name}"
        for module, name in (
            *(("packing", "pack"), ("packing", "unpack")),
            *(("einops", "einsum"), ("einops", "parse_shape")),
        )
    },
    "einops._torch_specific.apply_for_scriptable_torch": (
        f"{_HERE}.einops_patterns.apply_recipe"
    ),
    "torch.cond": f"{_HERE}.higher_order.cond",
    "torch._higher_order_ops.while_loop": f"{_HERE}.higher_order.while_loop",
    "torch._higher_order_ops.map": f"{_HERE}.higher_order.map_rows",
    "torch.func.vmap": f"{_HERE}.higher_order.vmap",
    "torch.bincount": f"{_HERE}.counting.bincount",
    **{
        f"torch._C._fft.fft_{name}": f"{_HERE}.fourier.{name}"
        for name in (
            *("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"),
            *("fft2", "ifft2", "rfft2", "irfft2", "hfft2"),
            *("fftn", "ifftn", "rfftn", "irfftn", "hfftn"),
        )
    },
    "torch.functional.stft": f"{_HERE}.windows.stft",
    "torch.stft": f"{_HERE}.windows.stft",
    "torch.complex": f"{_HERE}.complex_numbers.complex_of",
    "torch.polar": f"{_HERE}.complex_numbers.polar",
    "torch.view_as_complex": f"{_HERE}.complex_numbers.view_as_complex",
    "torch.cov": f"{_HERE}.statistics.cov",
    "torch.corrcoef": f"{_HERE}.statistics.corrcoef",
    "torch.nn.functional.gaussian_nll_loss": f"{_HERE}.statistics.gaussian_nll_loss",
    **{
        f"torch.{name}": f"{_HERE}.histograms.{name}"
        for name in ("histogram", "histogramdd")
    },
    "torch._C._linalg.linalg_lstsq": f"{_HERE}.least_squares.lstsq",
    **{
        f"torch.{name}": f"{_HERE}.pieces.{name}"
        for name in (
            *("tensor_split", "narrow", "combinations", "take_along_dim", "kron"),
        )
    },
    **{
        f"torch.{name}": f"{_HERE}.places.{name}"
        for name in ("take", "gcd", "lcm", "repeat_interleave", "index_put")
    },
    "torch._C._nn.one_hot": f"{_HERE}.places.one_hot",
    "torch.distributions.normal.Normal": f"{_HERE}.distributions.normal",
    "torch.distributions.categorical.Categorical": f"{_HERE}.distributions.categorical",
    "torch.distributions.bernoulli.Bernoulli": f"{_HERE}.distributions.bernoulli",
    "torch.distributions.kl.kl_divergence": f"{_HERE}.distributions.kl_divergence",
    "torch.nn.parallel.data_parallel.DataParallel.forward": (
        f"{_HERE}.wrappers.data_parallel"
    ),
    **{
        f"torch.utils.checkpoint.{name}": f"{_HERE}.wrappers.{name}"
        for name in ("checkpoint", "checkpoint_sequential")
    },
    "torch.jit.isinstance": f"{_HERE}.instances.jit_isinstance",
    "torch.nn.functional.grouped_mm": f"{_HERE}.grouped.grouped_mm",
    "torch.sparse_coo_tensor": f"{_HERE}.sparse.sparse_coo_tensor",
    **{
        name: f"{_HERE}.sizes.shape_as_tensor"  # of one function, imported or not
        for name in ("torch._shape_as_tensor", "torch.onnx.operators.shape_as_tensor")
    },
    **{
        f"torch._C._special.special_{name}": f"{_HERE}.polynomials.{name}"
        for name in (
            *(f"chebyshev_polynomial_{kind}" for kind in "tuvw"),
            *(f"shifted_chebyshev_polynomial_{kind}" for kind in "tuvw"),
            *("hermite_polynomial_h", "hermite_polynomial_he"),
            *("laguerre_polynomial_l", "legendre_polynomial_p"),
        )
    },
    **{
        f"torch.nn.utils.rnn.{name}": f"{_HERE}.packed.{name}"
        for name in ("pack_padded_sequence", "pad_packed_sequence")
    },
}
"""The full name of a library's function -> of ours, which is its symbol in the IR."""

CLASSES: Mapping[str, str] = {
    "torch.nn.utils.rnn.PackedSequence": f"{_HERE}.packed.Packed",
    **{
        f"torch.distributions.{module}.{name}": f"{_HERE}.distributions.{name}"
        for module, name in (
            *(("bernoulli", "Bernoulli"), ("categorical", "Categorical")),
            *(("distribution", "Distribution"), ("exp_family", "ExponentialFamily")),
            ("normal", "Normal"),
        )
    },
}
"""Classes of a library -> the records that stand for their objects."""

BASES: Mapping[str, str] = {
    f"torch.distributions.{name.lower()}.{name}": (
        f"{_HERE}.distribution_classes.{name}Base"
    )
    for name in ("Bernoulli", "Categorical", "Normal")
} | {
    "builtins.dict": f"{_HERE}.dict_classes.DictBase",
    "collections.OrderedDict": f"{_HERE}.dict_classes.OrderedDictBase",
}
"""Classes of a library that the user derives classes from -> ours, in their place."""

RETURNED: Mapping[str, str] = {
    f"{_HERE}.distributions.{name}": f"torch.distributions.{name.lower()}.{name}"
    for name in ("Bernoulli", "Categorical", "Normal")
}
"""Records whose fields are the attributes of a library's objects -> their class."""

STANDS_FOR: Mapping[str, tuple[str, tuple[str, ...]]] = {
    f"{_HERE}.deques.Deque": ("collections.deque", ("_dycl_items", "maxlen")),
}
"""Classes of ours -> the library's whose objects theirs stand for, and the attributes
with which that is called where one is returned."""

ENTRIES = "_dycl_entries"
"""The attribute of an object of a class derived from dict that has its entries."""

OWN_PAIRS = "_dycl_pairs"
"""The method of such an object that gives `dict` its entries."""
PAIRS = f"{_HERE}.dict_classes.pairs"
"""The entries of any other object that has `keys`."""

ATTRIBUTES: Mapping[str, str] = {
    "_dycl_is_checked": "",
    "_dycl_logits": "logits",
    "_dycl_probs": "probs",
    "_dycl_validate_args": "_validate_args",
}
"""Attributes of ours -> what they are called in the library's objects.

That one is called nothing, or is None, says that the library's object has none.
"""

CALLED_WITH: Mapping[tuple[str, str], str] = (
    {
        (
            f"torch.nn.modules.rnn.{name}",
            f"{_HERE}.packed.Packed",
        ): f"{_HERE}.packed.run"
        for name in ("RNN", "LSTM", "GRU")
    }
    | {
        (f"torch.{name}", f"{_HERE}.sparse.Sparse"): f"{_HERE}.sparse.product"
        for name in ("matmul", "mm", "spmm", "_C._sparse._sparse_mm")
    }
    | {
        (f"torch.{name}", _COMPLEX): f"{_HERE}.complex_numbers.{ours}"
        for name, ours in (
            *(("abs", "magnitude"), ("absolute", "magnitude"), ("angle", "angle")),
            *(("real", "real"), ("imag", "imag"), ("conj", "conjugate")),
            *(("view_as_real", "view_as_real"), ("matmul", "matmul")),
            *(("is_complex", "is_complex"), ("is_tensor", "is_complex")),
        )
    }
    | {
        (f"torch.{name}", _COMPLEX): f"{_HERE}.complex_functions.{ours}"
        for name, ours in (
            *(("functional.einsum", "einsum"), ("_C._nn.pad", "pad")),
            *(("nn.functional.pad", "pad"), ("multiply", "mul")),
            *(("concat", "cat"), ("concatenate", "cat")),
            *((f"_C._fft.fft_{name}", name) for name in ("fftshift", "ifftshift")),
            *(
                (name, name)
                for name in (
                    *("add", "bmm", "cat", "div", "einsum", "empty_like", "mul"),
                    *("ones_like", "stack", "sub", "zeros_like"),
                )
            ),
        )
    }
    | {
        (f"torch.{name}", _COMPLEX): f"{_COMPLEX}.{name}"
        for name in (
            *("clone", "flatten", "flip", "mean", "movedim", "permute", "reshape"),
            *("roll", "squeeze", "sum", "transpose", "unsqueeze"),
        )
    }
)
"""A module or function of torch, and the record that it is called with -> ours. A
complex tensor may stand at any place, or in a list."""

COMPLEX_RECORD = _COMPLEX
"""The class of the records that complex tensors are."""

OF_COMPLEX_DTYPE: Mapping[str, str] = {
    f"torch.{name}": f"{_HERE}.complex_functions.{name}"
    for name in ("empty", "ones", "zeros")
}
"""Functions that are given a complex `dtype` -> ours."""
COMPLEX_DTYPES = ("torch.complex64", "torch.complex128")

TENSORS = (_COMPLEX, f"{_HERE}.sparse.Sparse")
"""Records that stand for tensors of torch."""

CALLED_WITH_OPEN_SIZES: Mapping[str, str] = {
    **{
        f"torch.nn.modules.rnn.{name}": f"{_HERE}.recurrent.run"
        for name in ("RNN", "LSTM", "GRU")
    },
    "torch.nn.modules.upsampling.Upsample": f"{_HERE}.open_images.upsample",
    "torch.trapz": f"{_HERE}.open_sizes.trapezoid",
    "torch.cummax": f"{_HERE}.open_sizes.running_maximum",
    "torch.cummin": f"{_HERE}.open_sizes.running_minimum",
    **{
        f"torch.{name}": f"{_HERE}.open_sizes.{name}"
        for name in (
            *("combinations", "cumulative_trapezoid", "diff", "dsplit", "equal"),
            *(
                "gradient",
                "hsplit",
                "logcumsumexp",
                "logspace",
                "trapezoid",
                "tril_indices",
            ),
            *("triu_indices", "vander", "vsplit"),
        )
    },
    **{
        f"torch.nn.functional.{name}": f"{_HERE}.open_images.{name}"
        for name in ("affine_grid", "fold")
    },
    **{
        name: f"{_HERE}.open_images.pixel_unshuffle"
        for name in ("torch.pixel_unshuffle", "torch._C._nn.pixel_unshuffle")
    },
    "torch.nn.utils.rnn.pad_sequence": f"{_HERE}.open_sizes.pad_sequence",
    **{
        f"torch.{name}_window": f"{_HERE}.windows.{name}_window"
        for name in ("bartlett", "blackman", "hamming", "hann")
    },
}
"""Modules and functions of torch that ask for the numbers behind sizes, where a run
decides these -> ours. They are called with a tensor of such sizes, or a size."""


MODES_WITH_OPEN_SIZES: Mapping[tuple[str, str], str] = {
    ("torch.nn.functional.interpolate", "area"): f"{_HERE}.open_images.resize_by_area",
    (
        "torch.nn.functional.interpolate",
        "recompute_scale_factor",
    ): f"{_HERE}.open_images.resize_anew",
    ("torch.nn.functional.pad", "circular"): f"{_HERE}.open_images.pad_around",
}
"""The same of functions for one of their modes: the function, and the mode, or the
keyword that is True."""


def for_open_call(name: str, texts: Iterable[str]) -> str | None:
    """Ours for a function of torch that is called with open sizes, and these texts."""
    if (ours := CALLED_WITH_OPEN_SIZES.get(name)) is not None:
        return ours
    found = [MODES_WITH_OPEN_SIZES.get((name, text)) for text in texts]
    return next((one for one in found if one is not None), None)


def for_open_method(name: str) -> str | None:
    """The library's function that a method of a tensor of open sizes is, if it is one
    of `CALLED_WITH_OPEN_SIZES`."""
    function = f"torch.{name}"
    return function if function in CALLED_WITH_OPEN_SIZES else None


METHODS: Mapping[str, str] = {
    "bincount": "torch.bincount",
    "corrcoef": "torch.corrcoef",
    "cov": "torch.cov",
    "gcd": "torch.gcd",
    "histogram": "torch.histogram",
    "index_put": "torch.index_put",
    "lcm": "torch.lcm",
    "repeat_interleave": "torch.repeat_interleave",
    "stft": "torch.stft",
    "kron": "torch.kron",
    "take": "torch.take",
    "take_along_dim": "torch.take_along_dim",
    "tensor_split": "torch.tensor_split",
}
"""Methods of tensors -> the library's function that takes the tensor first."""


NOT_COMPILED = f"{_HERE}.refusals.NotCompiled"
"""What they raise where the library's function gives something: a refusal."""
ITEMS = f"{_HERE}.sequences.items"
"""The items of an object that has them by number."""
ASKS = f"{_HERE}.operators."
"""How the names of the functions begin that ask both operands."""
NEXT_ITEMS = f"{_HERE}.sequences.next_items"
"""The items that an object's `__next__` gives, one after the other."""


def is_ours(symbol: str) -> bool:
    """Whether a function of the IR is one of these, or inside one."""
    return symbol.startswith(f"{_HERE}.")


def is_our_file(file: str) -> bool:
    """Whether a file of source text is one of these."""
    return dirname(file) == dirname(__file__)
