"""What operators make of methods that may give `NotImplemented`.

Python asks one operand, then the other, and raises where neither has an answer. Who is
asked first, and the words, `dycl.passes.calls.operators` knows.
"""

from typing import Any


def only(one: Any, method: str, other: Any, words: str) -> Any:
    """`one.method(other)`. TypeError, with these words: it does not know."""
    answer = getattr(one, method)(other)
    if answer is NotImplemented:
        raise TypeError(words)
    return answer


def first(one: Any, method: str, other: Any, reflected: str, words: str) -> Any:
    """`one.method(other)`, or else `other.reflected(one)`.

    TypeError, with these words: neither knows.
    """
    answer = getattr(one, method)(other)
    if answer is NotImplemented:
        return only(other, reflected, one, words)
    return answer


def only_equal(one: Any, method: str, other: Any, differs: bool) -> Any:
    """`one == other` by `one.method`, or else by identity; or `one != other`."""
    answer = getattr(one, method)(other)
    if answer is NotImplemented:
        return (one is not other) if differs else (one is other)
    return answer


def first_equal(
    one: Any, method: str, other: Any, reflected: str, differs: bool
) -> Any:
    """`one == other` by `one.method`, or else by `other.reflected`, or by identity."""
    answer = getattr(one, method)(other)
    if answer is NotImplemented:
        return only_equal(other, reflected, one, differs)
    return answer
