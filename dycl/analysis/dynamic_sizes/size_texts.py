"""Sizes and relations between them as texts: read, evaluated, reckoned with, written.

    (d0 + 1)    (d0 * 4) // 2    Max(d0, n1)    d0 != 0 or d1 != 0

The texts are Python's expressions over names of sizes. torch and sympy are imported in
the functions.
"""

import ast
from collections.abc import Callable
from functools import lru_cache
from math import prod
from types import CodeType
from typing import Any, cast

from dycl.analysis.dynamic_sizes.factors import MOST_EXACT, fraction_of
from dycl.analysis.tensors.abstract import Dim


class CannotReckon(Exception):
    """A size or guard that has no form on the host."""


def evaluate(text: str, values: "dict[str, Any]") -> Any:
    """The value of an expression or relation; names are ints or SymInts.

    ValueError: the text is something else.
    """
    return eval(code_of(text), dict(_FUNCTIONS), dict(values))


def is_true(relation: str, sizes: "dict[str, int]") -> bool:
    """Whether a relation holds; one that divides by a size of zero does not."""
    try:
        return bool(eval(code_of(relation), _PLAIN, sizes))
    except ZeroDivisionError:
        return False


@lru_cache(4096)
def code_of(text: str) -> CodeType:
    """A text as code that reckons and compares, and does nothing else.

    Texts come from a cache, and not all that is Python should run from there.
    """
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise ValueError(f"`{text}` is no size and no relation of sizes")
        if isinstance(node, ast.Call):
            is_ours = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
            if not is_ours or node.keywords:
                raise ValueError(f"`{text}` calls something else than Max and Min")
        if isinstance(node, ast.Constant) and type(node.value) is not int:
            raise ValueError(f"`{text}` is not made of ints alone")
    return compile(tree, "<size>", "eval")


_NODES = (
    *(ast.Expression, ast.Name, ast.Load, ast.Constant, ast.Call),
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod),
    *(ast.UnaryOp, ast.USub, ast.Not, ast.BoolOp, ast.And, ast.Or),
    *(ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)


def _largest(*values: Any) -> Any:
    import torch

    result = values[0]
    for value in values[1:]:
        result = cast(Any, torch).sym_max(result, value)
    return result


def _smallest(*values: Any) -> Any:
    import torch

    result = values[0]
    for value in values[1:]:
        result = cast(Any, torch).sym_min(result, value)
    return result


_FUNCTIONS: dict[str, Any] = {
    "__builtins__": {},
    "Max": _largest,
    "Min": _smallest,
}


_PLAIN: dict[str, Any] = {"__builtins__": {}, "Max": max, "Min": min}
"""The functions, of ints alone: relations are tried with thousands of sizes."""


def arithmetic(kind: str, lhs: "int | Dim", rhs: "int | Dim") -> "Dim | int | None":
    """`lhs + rhs` and its like on sizes, simplified; None: it cannot be said."""
    import sympy

    if kind not in _ARITHMETIC:
        return None
    texts = [str(v.text if isinstance(v, Dim) else v) for v in (lhs, rhs)]
    names = {n: sympy.Symbol(n, integer=True) for text in texts for n in words(text)}
    functions = {"__builtins__": {}, "Max": sympy.Max, "Min": sympy.Min}
    try:
        one, other = (eval(code_of(text), dict(functions), names) for text in texts)
        result = sympy.expand(_ARITHMETIC[kind](sympy.sympify(one), other))
        return int(result) if result.is_Integer else Dim(python_text(result))
    except (CannotReckon, TypeError, ZeroDivisionError, AttributeError):
        return None


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
}


def words(text: str) -> list[str]:
    """The names in the text of a size or relation."""
    result: list[str] = []
    word = ""
    for letter in f"{text} ":
        if letter.isalnum() or letter == "_":
            word += letter
            continue
        if word and not word[0].isdigit() and word not in _WORDS:
            result.append(word)
        word = ""
    return result


_WORDS = ("Max", "Min", "and", "or", "not")


def python_text(expression: Any) -> str:
    """A sympy expression as Python text. CannotReckon: it has none."""
    kind = type(expression).__name__
    if expression.is_Integer or expression.is_Symbol:
        return str(expression)
    if kind == "floor":
        whole, divisor = expression.args[0].as_numer_denom()
        if divisor.is_Integer or type(divisor).__name__ == "Max":
            return f"({python_text(whole)} // {python_text(divisor)})"
    if kind in ("TruncToInt", "FloorToInt", "floor"):
        return _whole_part(expression)
    if kind == "ToFloat":
        return python_text(expression.args[0])
    parts = [python_text(part) for part in expression.args]
    if kind in _INFIX:
        return f"({f' {_INFIX[kind]} '.join(parts)})"
    if kind in ("Max", "Min"):
        return f"{kind}({', '.join(parts)})"
    if kind == "Pow" and expression.args[1].is_Integer and expression.args[1] > 0:
        return f"({' * '.join([parts[0]] * int(expression.args[1]))})"
    raise CannotReckon(f"a size that is {expression}")


def _whole_part(expression: Any) -> str:
    """Of a size times a float, as `int(n * 1.5)` has it. CannotReckon: it is another
    one, the product may be rounded, or it may be below zero."""
    from fractions import Fraction

    # Which reads texts by this module.
    from dycl.analysis.dynamic_sizes.ranges import bounds

    factors, texts = list[Fraction](), list[str]()
    (product,) = expression.args
    parts = product.args if type(product).__name__ == "Mul" else (product,)
    for part in parts:
        if part.is_Float or part.is_Rational:
            factors.append(Fraction(float(part)))
        else:
            texts.append(python_text(part))
    factor, text = prod(factors), " * ".join(texts)
    is_one = len(factors) == 1 or max(factor.as_integer_ratio()) < MOST_EXACT
    limits = bounds(text) if texts and is_one and "-" not in text else (None, None)
    if (found := fraction_of(float(factor), *limits)) is None:
        raise CannotReckon(f"a size that is {expression}")
    numerator, divisor = found
    whole = " * ".join([str(numerator)] * (numerator != 1) + texts)
    return f"(({whole}) // {divisor})" if divisor != 1 else f"({whole})"


_INFIX = {
    "And": "and",
    "Or": "or",
    "Add": "+",
    "Mul": "*",
    "FloorDiv": "//",
    "Mod": "%",
    "PythonMod": "%",
    "Equality": "==",
    "Unequality": "!=",
    "StrictLessThan": "<",
    "LessThan": "<=",
    "StrictGreaterThan": ">",
    "GreaterThan": ">=",
}
