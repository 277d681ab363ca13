"""What is raised where the IR alone does not say what a value is."""


class NotEvaluated(Exception):
    """The value cannot be computed here (the reason is the message)."""


class OfLibrary(NotEvaluated):
    """An attribute that an object has from a class of torch or Python, not recorded."""
