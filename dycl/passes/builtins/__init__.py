"""What `dycl-expand-builtins` writes for calls of Python's builtins."""
