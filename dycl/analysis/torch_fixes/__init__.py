"""Ops that torch-mlir lowers to something else than eager computes, and our fixes.

`table` lists them: the op, what is wrong, our fix, and a call that shows it. A test
runs each call without its fix and fails where torch-mlir has mended the op: then the
fix can go. They were found by comparing whole networks, and every op in every dtype,
with eager.

A fix is one of these:

- a rewrite, where the op is traced: `activations`, `batches`, `bits`, `division`,
  `elements`, `grids`, `indices`, `products`, `singles` write it as other ops
- `avoided`: torch decomposes the op, or it is refused
- a rule for all ops: `dims`, and `widening` for narrow dtypes
- a step of the kernels: `dycl.kernels.cpu.torch_fixes`, one file each

`apply` is what the tracer calls. `assumptions` has what one fix tells another.
`counting` is beside them: results whose size a run counts, for which torch-mlir has no
lowering at all. `missing` has other ops that it lacks; families are in `bags`,
`gammas`, `linear` (by steps in `factors`), `orders`, `scaling`, `shapes`, `vectors`,
`windows`, `zetas` and `rotations` and `boxes`, which have kernels of their own
(`box_kernels`).
"""
