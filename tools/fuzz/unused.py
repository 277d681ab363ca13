"""Whether an exception comes from a value that nothing uses.

The expression at which eager raises gives a `Nothing` in its place, and eager runs
again. What is computed of a `Nothing` is one too; a run in which one is written, stored
or returned uses it. What a run gives that uses none is compared with compiled code. A
`Nothing` that decides is used unless both ways lead to the same.
"""

import ast
import contextlib
import traceback

MOST_RAISING = 20
"""Expressions of one program that may raise."""

IMPLICIT = (
    *("IndexError", "KeyError", "ZeroDivisionError", "OverflowError"),
    "UnboundLocalError",
    "ValueError('torch.cat(): expected a non-empty list of Tensors',)",
    "ValueError('cannot convert float NaN to integer',)",
    "ValueError('math domain error',)",
)
"""What an expression may raise whose value nobody uses."""

OF_TYPES = (
    "the `-` operator, with a bool tensor is not supported",
    "could not infer output dtype",
    "unsupported operand type(s) for",
)
"""The same, of operands whose types do not fit."""

IMPORT = "from tools.fuzz.unused import unused as _unused\n"


class Used(BaseException):
    """A value that there is not is needed after all; no program catches this."""


def words_of(error):
    """An exception as text, with its own text where that tells it from others."""
    ours = "fuzz" in str(error) or isinstance(error, (AssertionError, ValueError))
    text = str(error.args) if ours or is_of_types(str(error)) else ""
    return f"{type(error).__name__}{text}"


def is_of_types(text):
    """Whether operands do not fit, by the text of an exception."""
    return any(part in text for part in OF_TYPES)


def is_implicit(raised):
    """Whether an expression may raise this, in the words of `words_of`."""
    return raised in IMPLICIT or is_of_types(raised)


def _gives_nothing(*operands, **keywords):
    return Nothing()


def _is_used(*operands):
    raise Used


class Nothing:
    """The value of an expression that raises."""

    truth: bool | None = None
    """What it is where it decides; None: to decide is a use."""
    is_of_any = False
    """Whether it stands for what raises anything at all."""

    def __bool__(self):
        if self.truth is None:
            raise Used
        return self.truth

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        writes = function.__name__.endswith("_") and function.__name__ != "__get__"
        if (writes and function.__name__ not in _READS) or "out" in (kwargs or {}):
            raise Used
        return cls()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


_TWO = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and",
    "or",
    "xor",
    "matmul",
    "lshift",
    "rshift",
]
_READS = {f"__{side}{name}__" for name in _TWO for side in ("", "r")}
_READS |= {f"__{name}__" for name in ["lt", "le", "gt", "ge", "eq", "ne"]}
_READS |= {
    f"__{name}__"
    for name in ["neg", "pos", "invert", "abs", "getitem", "call", "round"]
}
_NEEDS = "int float index len iter hash contains str repr format setitem setattr"
for _name in _READS:
    setattr(Nothing, _name, _gives_nothing)
for _name in f"{_NEEDS} deepcopy reduce_ex".split():
    setattr(Nothing, f"__{_name}__", _is_used)


@contextlib.contextmanager
def deciding(truth, of_any=False):
    """In the block, each `Nothing` that decides is taken for this; None: it may not."""
    Nothing.truth, Nothing.is_of_any = truth, of_any
    try:
        yield
    finally:
        Nothing.truth, Nothing.is_of_any = None, False


def unused(expression):
    """What the expression gives, or `Nothing` if it raises what it may."""
    try:
        return expression()
    except NameError:  # in a function of its own no UnboundLocalError
        return Nothing()
    except Exception as error:
        if not Nothing.is_of_any and not is_implicit(words_of(error)):
            raise
        return Nothing()


def without(source, error):
    """The program with `Nothing` for what has raised; None: its place is not known."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith("<fuzz ")]
    if not own:
        return None
    at = own[-1]
    place = (at.lineno, at.colno, at.end_lineno, at.end_colno)
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and _place(node) == place:
            whole = _text_of(node, tree)
            if _is_plain(whole):
                return _put(source, whole, _is_test(whole, tree))
    return None


def _text_of(node, tree):
    """The text that `%` or `str` makes of an expression, which is no use of it; or
    itself."""
    for outer in ast.walk(tree):
        match outer:
            case (
                ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod())
                | ast.Call(func=ast.Name(id="str"))
            ):
                if node in ast.walk(outer):
                    return outer
    return node


def _is_test(node, tree):
    """Whether nothing but the truth of an expression is asked."""
    for outer in ast.walk(tree):
        if getattr(outer, "test", None) is node:
            return True
        match outer:
            case ast.UnaryOp(op=ast.Not(), operand=operand) if operand is node:
                return True
    return False


def _place(node):
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _is_plain(node):
    """Whether an expression does the same in a function of its own."""
    is_read = not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
    return is_read and not any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))


def _put(source, node, is_test):
    start = "" if IMPORT in source else IMPORT
    lines = source.splitlines(keepends=True)
    first, last = node.lineno - 1, node.end_lineno - 1
    head, tail = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
    text = ast.get_source_segment(source, node)
    try:
        same = ast.dump(ast.parse(f"({text})", mode="eval").body) == ast.dump(node)
    except SyntaxError:  # a hole of an f-string: Python knows no places in these
        return None
    if not same:
        return None
    asked = f"bool({text})" if is_test else f"({text})"
    new = [f"{head}_unused(lambda: {asked}){tail}"]
    return start + "".join([*lines[:first], *new, *lines[last + 1 :]])
