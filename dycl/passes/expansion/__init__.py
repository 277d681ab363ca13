"""What `dycl-expand-modules` writes for traces, numbers, sizes and results."""
