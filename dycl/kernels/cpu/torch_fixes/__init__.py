"""Steps that make a kernel give what eager gives, where torch-mlir's lowering differs.

Names that have no lowering, numbers and NaN in comparisons, reductions and sorts,
indices out of range, rounding to half floats. One file, one step;
`dycl.kernels.cpu.lower` has their order.
"""
