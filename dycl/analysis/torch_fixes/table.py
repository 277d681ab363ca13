"""What torch-mlir lowers wrongly: the op, what is wrong, our fix, a call that shows it.

`shows` is an expression over the tensors x, y, z in `given`. Without the fix it is not
what eager gives, is refused, or ends the process.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dycl.analysis.torch_fixes import (
    activations,
    avoided,
    batches,
    bits,
    boxes,
    counting,
    division,
    elements,
    grids,
    images,
    indices,
    linear,
    losses,
    missing,
    norms,
    pools,
    products,
    randomness,
    shapes,
    singles,
    volumes,
)

Rewrite = Callable[..., Any]
"""From an overload and its operands to what it is written as; or NotImplemented."""


@dataclass(frozen=True)
class Fix:
    """One thing that torch-mlir does wrong."""

    ops: tuple[str, ...]
    """The ops, by their names in aten; (): many."""
    wrong: str
    """What it does."""
    fix: Rewrite | Callable[[Any], bool] | str
    """A rewrite; of `avoided`, which calls must not reach torch-mlir; the name of a
    step of the kernels; or the function with a rule for all ops."""
    shows: str
    """A call that shows it."""
    given: str
    """The call's tensors."""
    is_rounding: bool = False
    """Whether only the last bits are wrong."""

    @property
    def is_avoided(self) -> bool:
        """Whether the ops are not to reach torch-mlir."""
        return not isinstance(self.fix, str) and self.fix.__module__ == _AVOIDED

    @property
    def step(self) -> str | None:
        """The step of the kernels that mends it, if one does."""
        is_step = isinstance(self.fix, str) and self.fix.startswith("cpu-")
        return str(self.fix) if is_step else None


_AVOIDED = avoided.__name__


def _ops(names: str) -> tuple[str, ...]:
    return tuple(names.split())


TABLE = (
    # ---- activations
    Fix(_ops("elu"), "loses the sign of a zero",
        activations.elu, "F.elu(x)", "tensor([-0.0])"),
    Fix(_ops("selu"), "loses the sign of a zero",
        activations.selu, "F.selu(x)", "tensor([-0.0])"),
    Fix(_ops("celu"), "loses the sign of a zero",
        activations.celu, "F.celu(x, 2.0)", "tensor([-0.0])"),
    Fix(_ops("hardswish"), "multiplies by 1 / 6 where eager divides",
        activations.hard_swish, "F.hardswish(x)", "torch.linspace(-4, 4, 50)", True),
    Fix(_ops("soft_margin_loss"), "has no lowering, and torch takes half floats apart "
        "as if they were floats", losses.soft_margin,
        "F.soft_margin_loss(x.half(), x.half()).float()", "tensor([-30.0])"),
    Fix(_ops("softshrink"), "is wrong for negative numbers",
        activations.soft_shrink, "F.softshrink(x)", "tensor([-2.0])"),
    Fix(_ops("hardshrink"), "gives 0 for NaN",
        activations.hard_shrink, "F.hardshrink(x)", "tensor([nan])"),
    Fix(_ops("leaky_relu"), "multiplies what is above 0 by an infinite slope, too",
        activations.leaky, "F.leaky_relu(x, float('inf'))", "tensor([1.0])"),
    Fix(_ops("threshold"), "replaces NaN",
        activations.threshold, "F.threshold(x, 0.5, 7.0)", "tensor([nan])"),
    Fix(_ops("log_sigmoid"), "is -inf from -100 on",
        activations.log_sigmoid, "F.logsigmoid(x)", "tensor([-200.0])"),
    Fix(_ops("hardtanh"), "gives a bound for NaN",
        activations.hard_tanh, "F.hardtanh(x)", "tensor([nan])"),
    Fix(_ops("hardtanh_"), "gives a bound for NaN",
        activations.hard_tanh_in_place, "F.hardtanh_(x + 0)", "tensor([nan])"),
    Fix(_ops("relu6"), "gives 6 for NaN",
        activations.relu6, "F.relu6(x)", "tensor([nan])"),
    Fix(_ops("relu6_"), "gives 6 for NaN",
        activations.relu6_in_place, "F.relu6(x + 0, inplace=True)", "tensor([nan])"),
    Fix(_ops("gelu"), "approximates sqrt(2 / pi) as 0.797724",
        "cpu-decompose", "F.gelu(x, approximate='tanh')", "tensor([-1.5, 0.7])"),
    Fix(_ops("relu clamp"), "loses a NaN, and the sign of a zero",
        "cpu-compare-ordered", "torch.relu(x)", "tensor([nan, -0.0])"),
    # ---- numbers and comparisons
    Fix((*elements.COMPARISONS, "add", "sub", "mul"),
        "rounds a factor of f32 to the half float that it multiplies; mixes up dtypes",
        elements.with_number, "(x.bfloat16() * y).float()",
        "torch.linspace(0, 1, 99), torch.full((), 0.3)"),
    Fix((), "compares an element with a number as doubles",
        "cpu-compare-in-element-type", "x > 0.1", "tensor([0.1])"),
    Fix((), "folds what literals give, in doubles and without signs",
        "cpu-hide-literals",
        "torch.full((), -2) // torch.full((), 5) + x", "tensor([1])"),
    Fix((), "has arguments for the literals that were hidden",
        "cpu-show-literals",
        "torch.full((), -2) // torch.full((), 5) + x", "tensor([1])"),
    Fix(_ops("eq"), "folds `x == x` to true, which asks for NaN",
        "cpu-keep-self-comparison", "x == x", "tensor([nan])"),
    Fix(_ops("neg"), "negates integers as floats",
        singles.neg, "-x", "tensor([2**60 + 1])"),
    Fix(_ops("pow"), "has no powers of integers",
        products.power, "x ** 3", "tensor([2, -3])"),
    Fix(_ops("sign"), "compares a literal of f64 with an int",
        singles.sign,
        "torch.sign(torch.full((), -0.5, dtype=torch.float64)) * x", "torch.ones(2)"),
    Fix(bits.NAMES, "has few of their names, and shifts by too many bits",
        bits.bitwise, "x << 70", "tensor([1, 2])"),
    Fix(_ops("__and__ __or__ __xor__"), "has one of two names",
        "cpu-use-one-name", "x.__and__(y)", "tensor([1, 3]), tensor([2, 3])"),
    Fix(_ops("isclose"), "takes an infinity for close to all, and not to itself",
        elements.is_close, "torch.isclose(x, y)", "tensor([inf]), tensor([inf])"),
    Fix(_ops("masked_fill"), "fills bools with the last bit of a number",
        elements.masked_fill,
        "x.masked_fill(y, 2)", "tensor([False]), tensor([True])"),
    Fix(_ops("deg2rad"), "has a factor of six digits",
        elements.to_radians, "torch.deg2rad(x)", "torch.linspace(1, 9999, 99)", True),
    Fix(_ops("rad2deg"), "has a factor of six digits",
        elements.to_degrees, "torch.rad2deg(x)", "torch.linspace(1, 9999, 99)", True),
    Fix(_ops("rsqrt"), "does not round the root of half floats",
        elements.reciprocal_root,
        "torch.rsqrt(x.bfloat16()).float()", "torch.linspace(0.1, 9, 15)"),
    Fix(_ops("addcmul addcdiv"), "has no lowering for tensors of rank 0",
        products.add_fraction, "torch.addcmul(x, y, z)",
        "torch.ones(5), torch.ones(()), torch.ones(())"),
    Fix(_ops("einsum"), "has products only, and sums of letters that both have",
        avoided.no_product, "torch.einsum('ij->i', x)", "torch.ones(2, 3)"),
    Fix(_ops("max_unpool2d max_unpool3d"), "leaves out what lies beyond the windows",
        batches.unpooled, "F.max_unpool2d(x, y, 3, 2, output_size=(3, 6))",
        "torch.ones(1, 1, 1, 2), tensor([[[[1, 17]]]])"),
    # ---- linear algebra
    Fix(_ops("linalg_det"), "exchanges no rows, and divides by a zero",
        linear.only_determinant, "torch.linalg.det(x)",
        "tensor([[0.0, 1.0, 2.0], [3.0, -1.0, 0.5], [1.0, 1.0, 4.0]])"),
    Fix(_ops("linalg_slogdet"), "has no lowering",
        linear.only_log_determinant, "torch.linalg.slogdet(x)[1]",
        "tensor([[0.0, 1.0], [3.0, -1.0]])"),
    # ---- division
    Fix(_ops("floor_divide"), "rounds the quotient before the floor",
        division.floor_divide, "x // 0.1", "tensor([1.0])"),
    Fix(_ops("div"), "ends the process by a zero",
        singles.divide,
        "torch.div(x, y, rounding_mode='trunc')", "tensor([1]), tensor([0])"),
    Fix(_ops("remainder"), "ends the process by a zero",
        division.remainder, "x % y", "tensor([7]), tensor([0])"),
    Fix(_ops("fmod"), "takes a quotient that is rounded",
        division.fmod, "torch.fmod(x, y)", "tensor([1e8]), tensor([0.3])"),
    Fix(_ops("trunc fix"), "loses the sign of a zero",
        division.truncate, "torch.trunc(x)", "tensor([-0.0])"),
    Fix(_ops("frac"), "gives a zero the wrong sign",
        division.fraction, "torch.frac(x)", "tensor([-0.0])"),
    # ---- extrema and sorts
    Fix(_ops("clamp"), "refuses float bounds of integers, and forgets a NaN bound",
        elements.clamp, "x.clamp(0.5, 1.5)", "tensor([0, 7])"),
    Fix(_ops("clamp_min clamp_max"), "refuses float bounds of integers",
        elements.one_bound, "x.clamp_min(0.5)", "tensor([0, 7])"),
    Fix(_ops("maximum minimum"), "forgets a NaN on the left",
        elements.extremum, "torch.maximum(x, y)", "tensor([nan]), tensor([1.0])"),
    Fix(_ops("max min"), "forgets a NaN on the left",
        elements.either_extremum,
        "torch.max(x, y)", "tensor([nan]), tensor([1.0])"),
    Fix(_ops("max min argmax argmin"), "does not raise where there is no element",
        avoided.of_nothing, "torch.max(x, 0)[0]", "torch.zeros(0, 3)"),
    Fix(_ops("max min argmax argmin"), "gives another index than that of a NaN",
        "cpu-first-nan-wins", "torch.argmax(x)", "tensor([1.0, nan, 3.0])"),
    Fix(_ops("sort topk"), "puts NaN anywhere",
        "cpu-sort-nan-as-largest",
        "torch.sort(x, descending=True)[0]", "tensor([1.0, nan, 2.0])"),
    Fix(_ops("topk"), "keeps equal elements in order, which eager does not",
        "cpu-keep-topk", "torch.topk(x, 2)[1]", "torch.zeros(8)"),
    Fix(_ops("argsort"), "compares bools as signed numbers, so that true comes first",
        singles.argsort, "torch.argsort(x)", "tensor([True, False])"),
    Fix(_ops("sort"), "has no lowering for the overload that says it is stable",
        singles.sort, "torch.sort(x, stable=True)[0]", "tensor([2.0, 1.0])"),
    # ---- reductions
    Fix(_ops("any all"), "refuses bytes",
        singles.any_or_all, "x.any()", "tensor([0, 2], dtype=torch.uint8)"),
    Fix(_ops("logsumexp"), "has no lowering",
        singles.logsumexp, "torch.logsumexp(x, 0)", "tensor([inf, 1.0])"),
    Fix(_ops("sum prod"), "adds bools modulo 2",
        singles.reduced, "x.sum(dtype=torch.bool)", "torch.ones(4)"),
    Fix(_ops("cumprod cumsum"), "has no lowering to another dtype",
        singles.cumulative,
        "torch.cumprod(x, 0, dtype=torch.float64)", "torch.full((9,), 1.1)"),
    Fix(_ops("renorm"), "is wrong along a last dim",
        avoided.always, "torch.renorm(x, 1, -1, 1.0)", "torch.ones(2, 3, 4) * 3"),
    Fix(_ops("instance_norm"), "cannot do without weights",
        avoided.always, "F.instance_norm(x)", "torch.arange(16.0).view(1, 1, 4, 4)"),
    Fix(_ops("batch_norm gather"), "asserts in kernels, which ends the process",
        "cpu-drop-asserts", "torch.gather(x, 0, y)", "torch.ones(3), tensor([7])"),
    Fix(_ops("var std var_mean std_mean"),
        "divides by a negative number where no degree of freedom is left",
        singles.variance, "torch.var(x, correction=7)", "torch.rand(5)"),
    Fix(_ops("norm linalg_vector_norm"), "takes the root of the square of one element",
        norms.norm, "torch.linalg.vector_norm(x, 2, 1)", "tensor([[3e38], [1e-30]])"),
    Fix(_ops("rms_norm"), "adds 0 where no `eps` is given, so that zeros become NaN",
        singles.rms_norm, "F.rms_norm(x, (3,))", "torch.zeros(2, 3)"),
    # ---- indices
    Fix(_ops("embedding"), "reads outside of the table",
        indices.embedding, "F.embedding(x, y)", "tensor([7]), torch.ones(3, 2)"),
    Fix(_ops("gather index_select scatter scatter_add scatter_reduce index_add "
             "index_copy index_fill"),
        "reads and writes outside of the tensor, or has no lowering",
        indices.along,
        "x.index_select(0, y)", "torch.ones(3, 2), tensor([7])"),
    Fix(_ops("index index_put _unsafe_index_put _index_put_impl"),
        "writes outside of the tensor, and not at an index from the end",
        indices.at, "torch.index_put(x, (y,), z)",
        "torch.zeros(3), tensor([-1]), torch.ones(1)"),
    Fix((), "reads memory that is not the tensor's",
        "cpu-clamp-gathers", "x[y]", "torch.ones(3), tensor([2**44])"),
    Fix(_ops("view"), "divides by the number of no elements, which ends the process",
        "cpu-guard-divisions",
        "(lambda y: (y[:, None] + y[None]).view(y.size(0), y.size(0), 2, 2))"
        "(x[x[:, 0] > 9])", "torch.zeros(3, 4)"),
    Fix(_ops("view reshape flatten"),
        "takes the first of two sizes that a run decides for that of the view, and "
        "writes behind it", "cpu-group-views",
        "(lambda y: (y[:, None] + y[None]).view(-1, 4))(x[x[:, 0] > 0])",
        "torch.ones(3, 4)"),
    Fix(_ops("lerp"), "begins at the first end, so that an infinity there gives NaN",
        singles.lerp, "torch.lerp(x, y, 0.75)", "tensor([-inf]), tensor([0.0])"),
    Fix(_ops("narrow"), "gives what is beside the tensor for a start from the end",
        singles.narrow, "torch.narrow(x, 0, -2, 2)", "tensor([1.0, 2.0, 3.0])"),
    Fix(_ops("select_scatter"), "stores nothing at an index from the end",
        singles.select_scatter,
        "torch.select_scatter(x, y, 0, -1)", "torch.zeros(3), tensor(1.0)"),
    Fix(_ops("one_hot"), "does not raise for a class that is too large",
        indices.one_hot, "F.one_hot(x, 3)", "tensor([5])"),
    Fix((), "ends the process on a negative dim of scatter",
        "dims.from_front", "torch.scatter(x, -1, y, z)",
        "torch.zeros(3).half(), tensor([1]), torch.ones(1).half()"),
    Fix((), "does so, and makes a list of all places, where sizes are known",
        "cpu-write-scatters", "torch.scatter(x, -1, y, z)",
        "torch.zeros(3), tensor([1]), torch.ones(1)"),
    Fix((), "has no dim of a tensor of rank 0: refuses, or does not come back",
        "dims.along_element", "torch.cumsum(x, 0)", "tensor(2.0)"),
    # ---- images
    Fix(batches.NAMES, "ends the process, or has no lowering, without a batch",
        batches.of_one, "F.conv2d(x, y)",
        "torch.ones(2, 5, 5), torch.ones(3, 2, 3, 3)"),
    Fix(batches.OF_ROWS, "does not come back from windows of some elements",
        batches.of_planes, "F.adaptive_avg_pool1d(x, 2)",
        "torch.arange(8.0).view(1, 2, 4)"),
    Fix(_ops("conv_transpose2d"), "refuses groups of one channel and one filter",
        "cpu-double-filters", "F.conv_transpose2d(x, y, groups=4)",
        "torch.ones(1, 4, 5, 5), torch.ones(4, 1, 3, 3)"),
    Fix(_ops("conv3d"), "has no lowering in groups",
        volumes.convolution, "F.conv3d(x, y, groups=2)",
        "torch.ones(1, 2, 4, 4, 4), torch.ones(2, 1, 3, 3, 3)"),
    Fix(_ops("adaptive_avg_pool2d _adaptive_avg_pool2d adaptive_avg_pool3d "
             "_adaptive_avg_pool3d"),
        "takes all windows to be as large as the first",
        avoided.uneven_pool, "F.adaptive_avg_pool2d(x, 3)",
        "torch.arange(64.0).view(1, 1, 8, 8)"),
    Fix(pools.NAMES, "finds no place of a NaN, and of -inf one outside of the image",
        pools.largest_with_places,
        "F.max_pool2d(x, 2, padding=1, return_indices=True)[1]",
        "tensor([[[[nan, 1.0], [-inf, -inf]]]])"),
    Fix(_ops("grid_sampler"), "knows no padding but zeros",
        avoided.always,
        "F.grid_sample(x, y, padding_mode='border', align_corners=True)",
        "torch.arange(16.0).view(1, 1, 4, 4), torch.full((1, 1, 1, 2), 1.3)"),
    Fix(_ops("grid_sampler_2d"), "knows no padding but zeros",
        grids.sampler_2d,
        "torch.grid_sampler_2d(x, y, 0, 1, True)",
        "torch.arange(16.0).view(1, 1, 4, 4), torch.full((1, 1, 1, 2), 1.3)"),
    Fix(_ops("meshgrid"), "gives another type than it says",
        grids.mesh, "torch.meshgrid(x, y, indexing='ij')[0]",
        "torch.ones(2), torch.ones(3)"),
    Fix(_ops("im2col"), "has no lowering",
        avoided.always, "F.unfold(x, 2)", "torch.arange(16.0).view(1, 1, 4, 4)"),
    Fix(_ops("upsample_bilinear2d"), "has no lowering",
        images.bilinear, "F.interpolate(x, scale_factor=2, mode='bilinear')",
        "torch.arange(16.0).view(1, 1, 4, 4)"),
    Fix(_ops("matmul"), "has no lowering of a vector and more than a matrix",
        products.product, "x @ y", "torch.ones(2, 3, 4), torch.ones(4)"),
    # ---- losses
    Fix(_ops("binary_cross_entropy_with_logits"),
        "has no lowering, or dies of weights", avoided.always,
        "F.binary_cross_entropy_with_logits(x, x, pos_weight=x)", "tensor([0.3, 0.7])"),
    Fix(_ops("cross_entropy_loss nll_loss nll_loss_nd nll_loss2d nll_loss_forward "
             "nll_loss2d_forward"),
        "has no lowering", avoided.always,
        "F.cross_entropy(x, y)", "torch.eye(3), tensor([0, 2, 1])"),
    # ---- forms that torch takes apart
    Fix(_ops("prelu"), "has no lowering for three dims",
        avoided.always, "torch.prelu(x, y)",
        "torch.linspace(-1, 1, 24).view(2, 3, 4), torch.full((3,), 0.5)"),
    Fix(_ops("roll"), "has no lowering without dims, and goes around once",
        shapes.rolled, "torch.roll(x, 4, 0)", "torch.eye(3)"),
    Fix(_ops("linalg_norm"), "has no lowering",
        avoided.always, "torch.linalg.norm(x)", "torch.ones(2)"),
    Fix(_ops("col2im"), "has no lowering",
        images.folded, "F.fold(x, (3, 3), 2)", "torch.ones(1, 4, 4)"),
    Fix(_ops("cosine_embedding_loss"), "has no lowering", avoided.always,
        "F.cosine_embedding_loss(x, x + 1, y)", "torch.eye(2), tensor([1, -1])"),
    Fix(_ops("alias_copy detach_copy diagonal_copy expand_copy permute_copy "
             "select_copy slice_copy split_copy split_with_sizes_copy squeeze_copy "
             "t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy view_copy"),
        "has no lowering", avoided.always, "torch.expand_copy(x, (3, 2))",
        "torch.ones(2)"),
    # ---- dtypes
    Fix(_ops("isfinite"), "has no lowering",
        avoided.always, "torch.isfinite(x)", "tensor([1.0, inf])"),
    Fix((), "ends the process where a number becomes an int8",
        "widening.wider", "x * 2", "tensor([100], dtype=torch.int8)"),
    Fix((), "rounds sums of half floats after each addition",
        "widening.wider",
        "torch.cumsum(x.bfloat16(), 0).float()", "torch.full((99,), 0.3)"),
    Fix((), "widens bytes as if they had a sign, or ends the process",
        "widening.wider", "x // 2", "tensor([200], dtype=torch.uint8)"),
    Fix((), "calls a function that is in no library, from f64 to half floats",
        "cpu-narrow-by-f32", "x.to(torch.float16).float()",
        "tensor([1 + 2**-11 + 2**-30], dtype=torch.float64)"),
    Fix((), "converts floats straight to small integers, which has no meaning",
        "cpu-narrow-by-i32", "x.to(torch.int16)", "tensor([nan, inf, 1e9, 3e9, 4e4])"),
    Fix(_ops("dropout feature_dropout alpha_dropout feature_alpha_dropout"),
        "draws random numbers to keep all elements, or none",
        randomness.dropout, "F.dropout(x, 0.0)", "torch.ones(3)"),
    Fix((), "draws random numbers from a seed of its own",
        "cpu-refuse-random", "x + torch.rand(3)", "torch.ones(3)"),
)  # fmt: skip

REWRITES: dict[str, Rewrite] = {
    **{
        op: fix.fix
        for fix in TABLE
        if not isinstance(fix.fix, str) and not fix.is_avoided
        for op in fix.ops
    },
    **boxes.REWRITES,
    **counting.REWRITES,
    **missing.REWRITES,
    # Forms of one op, of which programs of torch.export use those without a lowering.
    "to": singles.convert,
}
"""Name of an op -> what it is written as, from the overload and its operands."""

AVOIDED: dict[str, Callable[[Any], bool]] = {
    **{
        op: fix.fix
        for fix in TABLE
        if not isinstance(fix.fix, str) and fix.is_avoided
        for op in fix.ops
    },
    **counting.AVOIDED,
    # Not torch-mlir's fault: our rule on names takes it for random in eval mode, too.
    "rrelu": avoided.always,
}
"""Name of an op, of any overload -> which of its calls, by fx node."""
