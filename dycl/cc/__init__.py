"""A compiler for the C that DyCL prints: to text of MLIR's LLVM dialect.

So that a host has one definition, host.c and its headers, and needs no C compiler on
the machine. It knows what these use of C, and says what it lacks; it finds no errors.

`tokens` expands macros. `parser` reads, with `declarations` and `folding`, what
`syntax` and `types` define. `statements` prints functions, with `expressions`,
`arithmetic`, `builtins` and `lines`, and `data` prints variables: all that `program`
asks for, which is what exported functions lead to.
"""

from dycl.cc.errors import CannotCompile
from dycl.cc.program import Compiled, compile_c

__all__ = ["CannotCompile", "Compiled", "compile_c"]
