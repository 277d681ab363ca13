"""What LLVM is told of functions and loops before it writes object code."""
