"""Make a failing program small: take away, and see whether it still fails.

How a network is made (`__init__`, and classes that none of it is written for) stays.
"""

import ast
import copy
import time


def reduce_source(source, still_fails, seconds=120):
    """A smaller program for which `still_fails(text)` is true, as it is for `source`.

    Statements are taken away, blocks replaced by what is in them, expressions by a part
    of theirs, until nothing more can go or the time is over.
    """
    end = time.monotonic() + seconds
    best, tried = ast.parse(source), set()
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for step in (_without_statements, _unwrapped, _simpler_expressions):
            position = 0
            while time.monotonic() < end:
                candidates = list(step(best))
                if position >= len(candidates):
                    break
                smaller = candidates[position]()
                text = _text(smaller)
                if text is not None and text not in tried:
                    tried.add(text)
                    if still_fails(text):
                        best, changed = smaller, True
                        continue
                position += 1
    return _text(best) or source


def _text(tree):
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        compile(text, "<smaller>", "exec")
    except (SyntaxError, ValueError):
        return None
    return text


def _edited(tree, index, edit):
    """Makes a copy, with `edit` done to the node that comes at `index`."""

    def make():
        clone = copy.deepcopy(tree)
        edit(list(ast.walk(clone))[index])
        return clone

    return make


def _nodes(tree):
    """What may be changed, with its place in `ast.walk(tree)`."""
    open_ = set()
    for cls in tree.body:
        for part in getattr(cls, "body", ()):
            if isinstance(part, ast.FunctionDef) and part.name != "__init__":
                open_.update(ast.walk(part))
    for index, node in enumerate(ast.walk(tree)):
        if node in open_:
            yield index, node


def _blocks(node):
    """The statement lists of a node, by field."""
    for field in ("body", "orelse"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield field, block


def _without_statements(tree):
    """Halves of blocks, quarters, single statements; uses before what they use."""
    for index, node in _nodes(tree):
        for field, block in _blocks(node):
            size = len(block)
            while size:
                for start in range((len(block) - 1) // size * size, -1, -size):
                    yield _edited(tree, index, _cut(field, start, start + size))
                size //= 2


def _cut(field, start, stop):
    def edit(node):
        block = getattr(node, field)
        del block[start:stop]
        if not block and field == "body":
            block.append(ast.Pass())

    return edit


def _unwrapped(tree):
    """A compound statement becomes its body, or what stands in its `else`."""
    for index, node in _nodes(tree):
        for field, block in _blocks(node):
            for at, child in enumerate(block):
                if not isinstance(child, (ast.If, ast.For, ast.While)):
                    continue
                for inner, content in _blocks(child):
                    if content:
                        yield _edited(tree, index, _unwrap(field, at, inner))


def _unwrap(field, at, inner):
    def edit(node):
        block = getattr(node, field)
        block[at : at + 1] = getattr(block[at], inner)

    return edit


def _simpler_expressions(tree):
    """An expression becomes one that it contains, or a plain one."""
    for index, node in _nodes(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                for make in _simpler(value):
                    yield _edited(tree, index, _put(field, None, make))
            elif isinstance(value, list):
                for at, item in enumerate(value):
                    if not isinstance(item, ast.expr):
                        continue
                    if not isinstance(node, (ast.Compare, ast.BoolOp)):
                        yield _edited(tree, index, _drop(field, at))
                    for make in _simpler(item):
                        yield _edited(tree, index, _put(field, at, make))


def _put(field, at, make):
    def edit(node):
        if at is None:
            setattr(node, field, make(getattr(node, field)))
        else:
            getattr(node, field)[at] = make(getattr(node, field)[at])

    return edit


def _drop(field, at):
    return lambda node: getattr(node, field).pop(at)


def _simpler(value):
    """Functions that give a simpler expression for this one."""
    if isinstance(value, (ast.Name, ast.Constant)) or not isinstance(
        getattr(value, "ctx", ast.Load()), ast.Load
    ):
        return
    yield lambda _: ast.Name("x", ast.Load())
    yield lambda _: ast.Constant(1)
    parts = [n for n in ast.walk(value) if isinstance(n, ast.expr) and n is not value]
    for at in range(min(len(parts), 12)):
        yield lambda old, at=at: [
            n for n in ast.walk(old) if isinstance(n, ast.expr) and n is not old
        ][at]
