"""Private names: inside `class C`, Python takes `__x` for `_C__x`.

Before                        After
------                        -----
class Net:                    class Net:
    def f(self, __k):             def f(self, _Net__k):
        self.__x = __k                self._Net__x = _Net__k

All identifiers are meant (attributes, variables, parameters, functions), but not the
keywords of a call, names that end in `__`, and classes named by underscores alone.
"""

import ast
import re

_PRIVATE = re.compile(r"__(?<!\w__)(?!\w*__\b)\w")


def has_private_names(text: str) -> bool:
    """Whether the text of a file may have private names; False: it has none.

    Most have none, and to look at all nodes takes as long as to parse the text.
    """
    # Python reads other letters as the ASCII ones that they stand for.
    return not text.isascii() or _PRIVATE.search(text) is not None


def mangle(tree: ast.AST) -> None:
    """Write out all private names of a file, in place."""
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, around = waiting.pop()
        inside = around
        if isinstance(node, ast.ClassDef):
            inside = node.name
            outer = [*node.bases, *node.keywords, *node.decorator_list]
            waiting += [(item, around) for item in outer]
            waiting += [(item, inside) for item in node.body]
        else:
            waiting += [(item, around) for item in ast.iter_child_nodes(node)]
        if around:
            _mangle_names(node, around)


def mangled(name: str, around: str) -> str:
    """What Python makes of a name inside a class."""
    stem = around.lstrip("_")
    if not stem or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    return f"_{stem}{name}"


_FIELDS: dict[type[ast.AST], str] = {
    ast.Attribute: "attr",
    ast.ClassDef: "name",
    ast.ExceptHandler: "name",
    ast.FunctionDef: "name",
    ast.MatchAs: "name",
    ast.MatchMapping: "rest",
    ast.MatchStar: "name",
    ast.Name: "id",
    ast.arg: "arg",
}
"""The identifier of each kind of node."""


def _mangle_names(node: ast.AST, around: str) -> None:
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        node.names = [mangled(name, around) for name in node.names]
    elif isinstance(node, ast.alias):
        bound = node.asname or node.name
        if mangled(bound, around) != bound:
            node.asname = mangled(bound, around)
    elif (field := _FIELDS.get(type(node))) is not None:
        name = getattr(node, field)
        if name is not None:
            setattr(node, field, mangled(name, around))
