"""Where the IR has the code of a kernel that a user wrote."""

CUSTOM_KERNEL = "dycl.custom_kernel"
"""On a `torch.operator`: the text of a module with one function, in MLIR."""
CUSTOM_KERNEL_ARGUMENTS = "dycl.custom_kernel_arguments"
"""Beside it: which operands the function takes; without it, the tensors."""
