"""Object files: what LLVM is told of a function, reading them, joining them."""
