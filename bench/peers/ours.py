"""DyCL: the model as it is. Where it is compared, no kernel comes from the cache."""

from bench.subjects import Subject


def native(subject: Subject, threads: int, _folder):
    """Decisions in compiled code, where that can be made."""
    import dycl

    given = subject.inputs[0]
    return dycl.compile(subject.model, given, threads=threads, cache=False)


def python(subject: Subject, _threads: int, _folder):
    """Decisions in the printed Python, which has one thread."""
    import dycl

    given = subject.inputs[0]
    return dycl.compile(subject.model, given, host="python", cache=False)


def direct(subject: Subject, threads: int, _folder):
    """All convolutions by their definition: what Winograd contributes is the rest."""
    import dycl

    given = subject.inputs[0]
    without = ("cpu-winograd",)
    return dycl.compile(
        subject.model, given, threads=threads, without=without, cache=False
    )
