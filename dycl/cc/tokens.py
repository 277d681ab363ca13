"""From C text to tokens: comments, included files, conditions, macros.

A token is its text. Files of the system are not read: `libc.h` beside this file has
what printed hosts use of them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dycl.cc.errors import CannotCompile

_TEXT = r'"(?:\\.|[^"\\])*"'
_CHARACTER = r"'(?:\\.|[^'\\])*'"
_COMMENT = re.compile(rf"{_TEXT}|{_CHARACTER}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(
    rf"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|{_TEXT}|{_CHARACTER}|\.\.\.|<<=|>>=|->"
    r"|\+\+|--|<<|>>|&&|\|\||##|[-+*/%&|^<>=!]=|\S"
)
_DIRECTIVE = re.compile(r"\s*#\s*(\w*)\s*(.*)")
_DEFINITION = re.compile(r"(\w+)(?:\(([^)]*)\))?\s*(.*)")


@dataclass(frozen=True)
class _Macro:
    params: Sequence[str] | None
    """None: it takes none, and no parentheses."""
    body: Sequence[str]


class Preprocessor:
    """The files of one program, and the macros that are defined so far."""

    def __init__(self, sources: Mapping[str, str]):
        """`sources`: by name the files that may be included."""
        self._sources = sources
        self._macros = {"__x86_64__": _Macro(None, ["1"])}

    def tokens(self, name: str) -> list[str]:
        """The tokens of a file. CannotCompile."""
        if name not in self._sources:
            raise CannotCompile(f"the file {name} is not there")
        text = _COMMENT.sub(
            lambda m: " " if m[0][0] == "/" else m[0], self._sources[name]
        )
        out: list[str] = []
        plain: list[str] = []
        taken: list[bool] = []
        """Of each condition around a line, whether its side is the one to take."""
        for line in text.replace("\\\n", " ").split("\n"):
            found = _DIRECTIVE.match(line)
            if found is None:
                if all(taken):
                    plain += _TOKEN.findall(line)
                continue
            out += self._expanded(plain, frozenset())
            plain.clear()
            word, rest = found[1], found[2].strip()
            if word in ("if", "ifdef", "ifndef"):
                taken.append(self._holds(word, rest))
            elif word == "else":
                taken[-1] = not taken[-1]
            elif word == "endif":
                taken.pop()
            elif all(taken):
                out += self._directive(word, rest)
        return out + self._expanded(plain, frozenset())

    def _holds(self, word: str, rest: str) -> bool:
        if word == "if":
            found = re.fullmatch(r"(!?)\s*defined\s*\(?\s*(\w+)\s*\)?", rest)
            if found is None:
                raise CannotCompile(f"the condition `#if {rest}`")
            return (found[2] in self._macros) != bool(found[1])
        return (rest in self._macros) == (word == "ifdef")

    def _directive(self, word: str, rest: str) -> list[str]:
        if word == "include":
            return self.tokens(rest.strip('"')) if rest.startswith('"') else []
        if word != "define":
            raise CannotCompile(f"the directive `#{word}`")
        found = _DEFINITION.fullmatch(rest)
        assert found is not None
        params = None
        if found[2] is not None:
            params = [one.strip() for one in found[2].split(",") if one.strip()]
        self._macros[found[1]] = _Macro(params, _TOKEN.findall(found[3]))
        return []

    # ---- macros

    def _expanded(self, tokens: Sequence[str], within: frozenset[str]) -> list[str]:
        out: list[str] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            at += 1
            macro = self._macros.get(token)
            is_call = at < len(tokens) and tokens[at] == "("
            if macro is None or token in within:
                out.append(token)
            elif macro.params is None:
                out += self._expanded(macro.body, within | {token})
            elif is_call:
                given, at = _arguments(tokens, at + 1)
                body = self._filled(token, macro, given, within)
                out += self._expanded(body, within | {token})
            else:
                out.append(token)
        return out

    def _filled(
        self,
        name: str,
        macro: _Macro,
        given: Sequence[Sequence[str]],
        within: frozenset[str],
    ) -> list[str]:
        """The body of a macro, with what it is given."""
        params = list(macro.params or ())
        known: dict[str, Sequence[str]] = dict(zip(params, given, strict=False))
        if params and params[-1] == "...":
            rest = given[len(params) - 1 :]
            known["__VA_ARGS__"] = [
                token
                for i, one in enumerate(rest)
                for token in ([","] if i else []) + [*one]
            ]
        elif len(given) != len(params) and (params or list(given) != [[]]):
            raise CannotCompile(f"`{name}` with {len(given)} arguments")
        out: list[str] = []
        body = macro.body
        at = 0
        while at < len(body):
            token = body[at]
            at += 1
            if token == "#" and at < len(body) and body[at] in known:
                out.append(f'"{" ".join(known[body[at]])}"')
                at += 1
            elif token == "##":
                [more] = known.get(body[at], [body[at]])
                out[-1] += more
                at += 1
            elif token not in known:
                out.append(token)
            elif at < len(body) and body[at] == "##":
                out += known[token]
            else:
                out += self._expanded(known[token], within)
        return out


def _arguments(tokens: Sequence[str], at: int) -> tuple[list[list[str]], int]:
    """What stands between the parentheses that begin before `at`; what is behind."""
    found: list[list[str]] = [[]]
    depth = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token == ")" and depth == 0:
            return found, at
        if token == "," and depth == 0:
            found.append([])
            continue
        depth += (token in "([{") - (token in ")]}")
        found[-1].append(token)
    raise CannotCompile("a call of a macro that has no end")
