"""What this compiler lacks."""


class CannotCompile(ValueError):
    """C that is not understood here; the text says what, and where."""
