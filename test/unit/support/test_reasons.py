"""A reason has its code wherever it goes: in other words, on disk, by errors."""

import copy
import pickle

import pytest

from dycl.analysis.dynamic_sizes.neutral_names import in_text
from dycl.analysis.memory.effects import why_not_called
from dycl.analysis.tensors.abstract import Unknown
from dycl.analysis.tensors.fakes import explain
from dycl.analysis.tensors.stored_forms import FORMS
from dycl.analysis.tracing.graph import Untraceable
from dycl.diag import CODES
from dycl.support import reasons
from dycl.support.plain_data import Format
from dycl.support.reasons import RANDOM, UNKNOWN, Reason, code_of, reworded


def test_is_its_words():
    assert Reason("n is drawn", RANDOM) == "n is drawn"
    assert code_of(Reason("n is drawn", RANDOM)) == RANDOM
    assert code_of("n is drawn") == UNKNOWN


def test_has_a_code_that_is_explained():
    codes = [value for name, value in vars(reasons).items() if name.isupper()]
    assert len(codes) == 6
    assert set(codes) <= set(CODES)


@pytest.mark.parametrize(
    "other",
    [
        lambda why: reworded(why, "m is drawn"),
        lambda why: in_text(why, {"n": "m"}),
    ],
)
def test_keeps_its_code_in_other_words(other):
    found = other(Reason("n is drawn", RANDOM))
    assert (found, code_of(found)) == ("m is drawn", RANDOM)
    plain = other("n is drawn")
    assert (plain, code_of(plain)) == ("m is drawn", UNKNOWN)


def test_keeps_its_code_on_disk():
    form = Format(*FORMS)
    written = form.to_bytes((Unknown(Reason("n is drawn", RANDOM)), Unknown("n")))
    one, other = form.from_bytes(written)
    assert (one.reason, code_of(one.reason)) == ("n is drawn", RANDOM)
    assert code_of(other.reason) == UNKNOWN


@pytest.mark.parametrize(
    "other", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_keeps_its_code_in_a_copy(other):
    found = other(Reason("n is drawn", RANDOM))
    assert (found, code_of(found)) == ("n is drawn", RANDOM)


def test_keeps_its_code_in_an_error():
    assert code_of(Untraceable(Reason("n is drawn", RANDOM)).reason) == RANDOM


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyError("b"), "DY305"),
        (AttributeError("'Tensor' object has no attribute 'sotfmax'"), "DY305"),
        (ModuleNotFoundError("", name="torch.rleu"), "DY305"),
        (ModuleNotFoundError("", name="torchaudio"), "DY301"),
        (RuntimeError(".numpy() is not supported for tensor subclasses."), "DY309"),
        (RuntimeError("a KeyError that draws random numbers"), "DY301"),
    ],
)
def test_comes_from_the_kind_of_an_error(error, code):
    assert code_of(explain(error)) == code


@pytest.mark.parametrize(
    ("name", "code"),
    [("random.random", "DY306"), ("io.open", "DY309"), ("PIL.Image.open", "DY309")],
)
def test_comes_from_what_is_called(name, code):
    why = why_not_called(name)
    assert why is not None
    assert code_of(why) == code
