"""`backend="openvino"`: kernels that OpenVINO runs (`pip install 'dycl[openvino]'`).

It reads the models of `dycl.kernels.onnx` from memory; its CPU plug-in runs them in
f32. What it makes of NaN, and of infinities, is often not what eager does: these nodes
are written in others (`dycl/kernels/onnx/careful.py`).
"""

from dycl.kernels.openvino.backend import OpenVinoBackend

__all__ = ["OpenVinoBackend"]
