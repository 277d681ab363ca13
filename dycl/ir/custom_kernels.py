"""Where the IR has the code of a kernel that a user wrote."""

CUSTOM_KERNEL = "dycl.custom_kernel"
"""On a `torch.operator`: the text of a module with one function, in MLIR."""
