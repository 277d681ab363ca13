"""`backend="onnxruntime"`: kernels that ONNX Runtime runs.

Each kernel that `dycl.kernels.onnx` can write is a session of its own, its weights are
initializers, and its memory is bound without a copy (`IoBinding`). Ops that are not in
the table, with dynamic sizes or with other dtypes than f32, i64, i32 and bool stay with
our own code, and a remark says so. `threads` are those of a session.
"""

from dycl.kernels.onnxruntime.backend import OnnxRuntimeBackend

__all__ = ["OnnxRuntimeBackend"]
