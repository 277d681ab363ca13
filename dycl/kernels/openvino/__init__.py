"""The backend `openvino`: kernels are handed to OpenVINO (`pip install 'dycl[openvino]'`).

It reads the models of `dycl.kernels.onnx` from memory; its CPU plug-in runs them.
"""

from dycl.kernels.openvino.engine import OpenVinoBackend

__all__ = ["OpenVinoBackend"]
