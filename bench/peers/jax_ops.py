"""The ops of torch that raced networks have, in JAX's.

An exported program is run with JAX's arrays, which `jax.jit` traces. KeyError: an op
that has no entry here.
"""

import operator

import jax
import jax.numpy as jnp
import torch
from jax import lax

aten = torch.ops.aten
DTYPES = {
    torch.float32: jnp.float32,
    torch.int64: jnp.int32,
    torch.int32: jnp.int32,
    torch.bool: jnp.bool_,
}


class Interpreter:
    """A program as a function of its inputs; weights are constants."""

    def __init__(self, program):
        """`program`: a decomposed `ExportedProgram`."""
        self._module = program.graph_module
        held = {**program.state_dict, **program.constants}
        self._held = {
            spec.arg.name: _array(held[spec.target])
            for spec in program.graph_signature.input_specs
            if spec.target is not None
        }

    def __call__(self, *inputs):
        """Its results."""
        return _run(self._module, inputs, self._held)


def _array(tensor):
    return jnp.asarray(tensor.detach().numpy())


def _run(module, inputs, held):
    given, known = iter(inputs), {}

    def value(leaf):
        return known[leaf] if isinstance(leaf, torch.fx.Node) else leaf

    for node in module.graph.nodes:
        if node.op == "placeholder":
            known[node] = held[node.name] if node.name in held else next(given)
        elif node.op == "get_attr":
            known[node] = getattr(module, node.target)
            if isinstance(known[node], torch.Tensor):
                known[node] = _array(known[node])
        elif node.op == "output":
            return torch.fx.map_arg(node.args[0], value)
        else:
            arguments = torch.fx.map_arg(node.args, value)
            keywords = torch.fx.map_arg(dict(node.kwargs), value)
            known[node] = OPS[node.target](*arguments, **keywords)
    raise ValueError("a graph without an output")


def _cond(choice, yes, no, operands=()):
    def side(module):
        return lambda given: tuple(_run(module, given, {}))

    return lax.cond(jnp.reshape(choice, ()), side(yes), side(no), tuple(operands))


def _while_loop(goes_on, step, carried, more=()):
    def again(values):
        [choice] = jax.tree_util.tree_leaves(_run(goes_on, (*values, *more), {}))
        return jnp.reshape(choice, ())

    def once(values):
        new = _run(step, (*values, *more), {})
        both = zip(new, values, strict=True)
        return tuple(jnp.asarray(n, v.dtype).reshape(v.shape) for n, v in both)

    return lax.while_loop(again, once, tuple(map(jnp.asarray, carried)))


def _convolution(x, w, bias, stride, padding, dilation, turned, _out, groups):
    if turned:
        raise KeyError("transposed convolution")
    found = lax.conv_general_dilated(
        x,
        w,
        tuple(stride),
        [(p, p) for p in padding],
        rhs_dilation=tuple(dilation),
        feature_group_count=groups,
    )
    spread = (1, -1) + (1,) * (x.ndim - 2)
    return found if bias is None else found + bias.reshape(spread)


def _window(values):
    values = tuple(values)
    return (1, 1, *(values if len(values) == 2 else values * 2))


def _max_pool(x, size, stride=(), padding=(0, 0), dilation=(1, 1), _ceil=False):
    pads = [(p, p) for p in _window(padding)]
    pads[:2] = [(0, 0)] * 2
    steps = _window(stride or size)
    return (
        lax.reduce_window(
            x, -jnp.inf, lax.max, _window(size), steps, pads, None, _window(dilation)
        ),
        None,
    )


def _avg_pool(x, size, stride=(), padding=(0, 0), *_):
    pads = [(p, p) for p in _window(padding)]
    pads[:2] = [(0, 0)] * 2
    if any(padding):
        raise KeyError("an average pool with padding")
    total = lax.reduce_window(
        x, 0.0, lax.add, _window(size), _window(stride or size), pads
    )
    return total / (_window(size)[2] * _window(size)[3])


def _adaptive_avg_pool(x, size):
    high, wide = x.shape[-2] // size[0], x.shape[-1] // size[1]
    parts = x.reshape(*x.shape[:-2], size[0], high, size[1], wide)
    return parts.mean((-3, -1))


def _layer_norm(x, shape, weight, bias, eps):
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) * lax.rsqrt(var + eps) * weight + bias, mean, var


def _batch_norm(x, weight, bias, mean, var, _momentum, eps):
    spread = (1, -1) + (1,) * (x.ndim - 2)
    scale = weight * lax.rsqrt(var + eps)
    shift = bias - mean * scale
    return x * scale.reshape(spread) + shift.reshape(spread), None, None


def _attention(q, k, v, *_, **keywords):
    scale = keywords.get("scale") or q.shape[-1] ** -0.5
    weights = jax.nn.softmax(q @ jnp.swapaxes(k, -1, -2) * scale, axis=-1)
    return weights @ v, None


def _slice(x, dim=0, start=None, end=None, step=1):
    places = [slice(None)] * x.ndim
    places[dim] = slice(start, None if end is None else min(end, x.shape[dim]), step)
    return x[tuple(places)]


def _scaled(function):
    return lambda x, y, alpha=1: function(x, y if alpha == 1 else alpha * y)


def _dims(dims):
    return tuple(dims) if isinstance(dims, (list, tuple)) else dims


def _mean(x, dims=None, keepdim=False, **_):
    return jnp.mean(x, _dims(dims) or None, keepdims=keepdim)


def _full(shape, value, dtype=None, **_):
    return jnp.full(tuple(shape), value, DTYPES.get(dtype, jnp.float32))


def _split(x, sizes, dim=0):
    places, start = [], 0
    for size in sizes:
        places.append(lax.slice_in_dim(x, start, start + size, axis=dim))
        start += size
    return places


OPS = {
    torch.ops.higher_order.cond: _cond,
    torch.ops.higher_order.while_loop: _while_loop,
    operator.getitem: operator.getitem,
    aten.convolution.default: _convolution,
    aten.max_pool2d_with_indices.default: _max_pool,
    aten.avg_pool2d.default: _avg_pool,
    aten._adaptive_avg_pool2d.default: _adaptive_avg_pool,
    aten.native_layer_norm.default: _layer_norm,
    aten._native_batch_norm_legit_no_training.default: _batch_norm,
    aten._scaled_dot_product_flash_attention_for_cpu.default: _attention,
    aten.relu.default: jax.nn.relu,
    aten.sigmoid.default: jax.nn.sigmoid,
    aten.tanh.default: jnp.tanh,
    aten.gelu.default: lambda x, approximate="none": jax.nn.gelu(
        x, approximate=approximate != "none"
    ),
    aten._softmax.default: lambda x, dim, _: jax.nn.softmax(x, axis=dim),
    aten._log_softmax.default: lambda x, dim, _: jax.nn.log_softmax(x, axis=dim),
    aten.add.Tensor: _scaled(jnp.add),
    aten.add.Scalar: _scaled(jnp.add),
    aten.sub.Tensor: _scaled(jnp.subtract),
    aten.rsub.Scalar: lambda x, y, alpha=1: y - alpha * x,
    aten.mul.Tensor: jnp.multiply,
    aten.mul.Scalar: jnp.multiply,
    aten.div.Tensor: jnp.divide,
    aten.addmm.default: lambda b, x, y: x @ y + b,
    aten.mm.default: jnp.matmul,
    aten.bmm.default: jnp.matmul,
    aten.mean.dim: _mean,
    aten.mean.default: _mean,
    aten.sum.dim_IntList: lambda x, dims, keepdim=False, **_: jnp.sum(
        x, _dims(dims), keepdims=keepdim
    ),
    aten.amax.default: lambda x, dims=(), keepdim=False: jnp.max(
        x, _dims(dims) or None, keepdims=keepdim
    ),
    aten.max.default: jnp.max,
    aten.any.dim: lambda x, dim, keepdim=False: jnp.any(x, dim, keepdims=keepdim),
    aten.argmax.default: lambda x, dim=None, keepdim=False: jnp.argmax(
        x, dim, keepdims=keepdim
    ),
    aten.gt.Scalar: jnp.greater,
    aten.gt.Tensor: jnp.greater,
    aten.ge.Scalar: jnp.greater_equal,
    aten.ge.Tensor: jnp.greater_equal,
    aten.lt.Scalar: jnp.less,
    aten.eq.Scalar: jnp.equal,
    aten.eq.Tensor: jnp.equal,
    aten.bitwise_and.Tensor: jnp.bitwise_and,
    aten.bitwise_not.default: jnp.bitwise_not,
    aten.logical_and.default: jnp.logical_and,
    aten.logical_not.default: jnp.logical_not,
    aten.where.self: jnp.where,
    aten.view.default: lambda x, shape: jnp.reshape(x, tuple(shape)),
    aten._unsafe_view.default: lambda x, shape: jnp.reshape(x, tuple(shape)),
    aten.permute.default: lambda x, dims: jnp.transpose(x, tuple(dims)),
    aten.unsqueeze.default: jnp.expand_dims,
    aten.squeeze.dims: lambda x, dims: jnp.squeeze(
        x, tuple(d for d in dims if x.shape[d] == 1)
    ),
    aten.select.int: lambda x, dim, at: lax.index_in_dim(x, at, dim, keepdims=False),
    aten.slice.Tensor: _slice,
    aten.split_with_sizes.default: _split,
    aten.cat.default: lambda parts, dim=0: jnp.concatenate(parts, dim),
    aten.expand.default: lambda x, shape: jnp.broadcast_to(
        x, tuple(s if s >= 0 else x.shape[i - len(shape)] for i, s in enumerate(shape))
    ),
    aten.embedding.default: lambda table, at, *_: jnp.take(table, at, axis=0),
    aten.clone.default: lambda x, **_: x,
    aten.alias.default: lambda x: x,
    aten.detach.default: lambda x: x,
    aten._to_copy.default: lambda x, dtype=None, **_: jnp.asarray(
        x, DTYPES.get(dtype, x.dtype)
    ),
    aten.full.default: _full,
    aten.full_like.default: lambda x, value, dtype=None, **_: jnp.full_like(
        x, value, DTYPES.get(dtype, x.dtype)
    ),
    aten.scalar_tensor.default: lambda value, dtype=None, **_: _full((), value, dtype),
    aten.zeros.default: lambda shape, dtype=None, **_: _full(shape, 0, dtype),
    aten.ones.default: lambda shape, dtype=None, **_: _full(shape, 1, dtype),
    aten.arange.start_step: lambda start, end, step=1, **_: jnp.arange(
        start, end, step
    ),
}
