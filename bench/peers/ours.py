"""DyCL: the model as it is."""

from bench.subjects import Subject


def native(subject: Subject, _threads: int, _folder):
    """Decisions in compiled code, where that can be made."""
    import dycl

    return dycl.compile(subject.model, subject.inputs[0])


def python(subject: Subject, _threads: int, _folder):
    """Decisions in the printed Python."""
    import dycl

    return dycl.compile(subject.model, subject.inputs[0], host="python")
