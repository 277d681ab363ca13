"""Names for what a host in C defines: none that C or a header has already."""

from dycl.host.names import Names

RESERVED = (
    *("auto", "break", "case", "char", "const", "continue", "default", "do", "double"),
    *("else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long"),
    *("register", "restrict", "return", "short", "signed", "sizeof", "static"),
    *("struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while"),
    *("bool", "true", "false", "complex", "imaginary", "noreturn", "alignas"),
    *("alignof", "offsetof", "assert", "static_assert", "thread_local", "errno"),
    *("stdin", "stdout", "stderr", "unix", "linux", "asm", "typeof", "nullptr"),
    *("constexpr", "typeof_unqual", "h", "m", "w", "in", "out", "path"),
    *("fabs", "floor", "ceil", "fmod", "copysign", "atan2", "isnan", "isinf"),
    *("isfinite", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos"),
    *("cosh", "erf", "erfc", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2"),
    *("sin", "sinh", "sqrt", "tan", "tanh"),
)
"""Names that C, its headers or the printed text use."""


class CNames(Names):
    """Names that C and its headers leave free."""

    def fresh(self, wanted: str | None, default: str = "v") -> str:
        name = wanted or default
        if name.isupper() or name.startswith("_"):
            name = f"v_{name}"  # macros, and what is the compiler's
        return super().fresh(name, default)
