"""DyCL: the model as it is; no kernel comes from the cache."""

from bench.subjects import Subject


def native(subject: Subject, _threads: int, _folder):
    """Decisions in compiled code, where that can be made."""
    import dycl

    return dycl.compile(subject.model, subject.inputs[0], cache=False)


def python(subject: Subject, _threads: int, _folder):
    """Decisions in the printed Python."""
    import dycl

    given = subject.inputs[0]
    return dycl.compile(subject.model, given, host="python", cache=False)
