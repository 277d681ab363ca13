"""Networks on NVIDIA's GPUs, with NumPy and the driver alone.

driver.py     libcuda.so.1 by ctypes, and what its errors mean
memory.py     buffers on the device
kernels.py    kernels as PTX, loaded into the driver, and launched
services.py   what printed hosts call `rt`, with its buffers on the device
"""

from __future__ import annotations

from dycl.runtime.cuda.driver import CudaError, Device, device, why_no_gpu
from dycl.runtime.cuda.kernels import CudaKernels, FunctionCode, KernelCode

__all__ = [
    "CudaError",
    "CudaKernels",
    "Device",
    "FunctionCode",
    "KernelCode",
    "device",
    "why_no_gpu",
]
