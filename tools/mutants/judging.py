"""What becomes of a mutant: it is loaded right, refused by a sentence, or neither."""

import traceback
from pathlib import Path
from typing import NamedTuple

import numpy as np

import dycl
from dycl.runtime import ArtifactError, InputError
from dycl.runtime.manifest import HOST, MANIFEST, WEIGHTS
from dycl.runtime.saved import Saved


class Verdict(NamedTuple):
    """`failed` says whether it is a bug of ours."""

    kind: str
    text: str = ""

    @property
    def failed(self):
        return self.kind not in ("right", "refused", "other numbers")


def judge(data, changed, path, calls):
    """The verdict on the bytes of a mutant; they are written to `path`.

    `calls`: positional arguments and what the artifact it was made of gives for them.
    """
    Path(path).write_bytes(data)
    try:
        verdicts = [_loaded(path, host, changed, calls) for host in ("auto", "python")]
        _looked_at(path)
    except ArtifactError as error:
        return _sentence(error)
    except Exception:
        return Verdict("another error", traceback.format_exc())
    return max(verdicts, key=lambda verdict: (verdict.failed, verdict.kind != "right"))


def _sentence(error):
    text = str(error)
    if not text.endswith("(DY603)") or "\n" in text or len(text) > 1000:
        return Verdict("no sentence", text[:2000])
    return Verdict("refused", text)


def _looked_at(path):
    """All that is done with an artifact that does not run. ArtifactError."""
    Saved(Path(path)).check_all()


def _loaded(path, host, changed, calls):
    """Load and run it. ArtifactError."""
    net = dycl.load(path, host=host)
    repr(net), net.hcfg, net.source_map, net.path, net.decisions
    verdict = Verdict("right")
    for arguments, wanted in calls:
        try:
            found = net(*arguments)
        except InputError as error:
            if MANIFEST in changed:  # it has another signature
                return Verdict("refused", str(error))
            return Verdict("wrong", f"{error}")
        except Exception:
            if {WEIGHTS, HOST} & changed:  # another index, or a test that fails
                return Verdict("other numbers", traceback.format_exc())
            raise
        if not same(found, wanted):
            if WEIGHTS not in changed:
                return Verdict("wrong", f"{found} instead of {wanted}")
            verdict = Verdict("other numbers")
    return verdict


def same(one, other):
    """Whether two results are equal: classes, dtypes, shapes and bits."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        kind = (one.dtype, one.shape)
        return kind == (other.dtype, other.shape) and one.tobytes() == other.tobytes()
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return [*one] == [*other] and all(same(one[k], other[k]) for k in one)
    return repr(one) == repr(other)
