"""Completion of the command line in bash, zsh and fish, made of the parsers.

Each script has all commands and options in it, so that a Tab starts no Python.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class _Option:
    flags: tuple[str, ...]
    help: str
    takes: bool
    """Whether a value follows."""
    choices: tuple[str, ...]


@dataclass(frozen=True)
class _Command:
    name: str
    help: str
    options: tuple[_Option, ...]
    words: tuple[str, ...]
    """What its arguments may be, besides files."""


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for a shell, to be read by it. KeyError: none of `SHELLS`."""
    commands = [
        _command(name, choice, _helps(action).get(name, ""))
        for action in _commands(parser)
        for name, choice in action.choices.items()
    ]
    return SHELLS[shell](parser.prog, _options(parser), commands)


def _commands(parser: argparse.ArgumentParser) -> Iterator[Any]:
    """The actions that have commands."""
    return (action for action in parser._actions if hasattr(action, "_choices_actions"))


def _helps(action: Any) -> dict[str, str]:
    return {choice.dest: choice.help or "" for choice in action._choices_actions}


def _command(name: str, parser: argparse.ArgumentParser, what: str) -> _Command:
    words = [
        str(word)
        for action in parser._actions
        if not action.option_strings
        for word in action.choices or ()
    ]
    return _Command(name, what, _options(parser), tuple(words))


def _options(parser: argparse.ArgumentParser) -> tuple[_Option, ...]:
    return tuple(
        _Option(
            tuple(action.option_strings),
            _first_words(action, parser),
            action.nargs != 0,
            tuple(map(str, action.choices or ())),
        )
        for action in parser._actions
        if action.option_strings
    )


def _first_words(action: Any, parser: argparse.ArgumentParser) -> str:
    """The help up to its first pause, without what argparse fills in."""
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    return re.split(r"[;:(]| \(", " ".join(text.split()))[0].strip()


# ---------------------------------------------------------------- bash


def _bash(prog: str, own: Sequence[_Option], commands: Sequence[_Command]) -> str:
    name = _identifier(prog)
    lines = [
        f'# bash completion for {prog}: eval "$({prog} completion bash)"',
        f"_{name}() {{",
        "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}",
        "  local command= word options= words= values= files=() i",
        "  for ((i = 1; i < COMP_CWORD; i++)); do",
        "    word=${COMP_WORDS[i]}",
        "    [[ $word != -* ]] && { command=$word; break; }",
        "  done",
        "  case $command in",
    ]
    listed = " ".join(one.name for one in commands)
    for one in commands:
        lines += [f"  {one.name})", *_bash_case(one.options, one.words), "    ;;"]
    lines += ["  '')", *_bash_case(own, listed.split()), "    ;;", "  esac"]
    lines += [
        "  if [[ $values == - ]]; then",
        '    mapfile -t COMPREPLY < <(compgen -f -- "$cur")',
        "  elif [[ -n $values ]]; then",
        '    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")',
        "  elif [[ $cur == -* ]]; then",
        '    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")',
        "  else",
        "    [[ -z $command ]] || files=(-f)",
        '    mapfile -t COMPREPLY < <(compgen "${files[@]}" -W "$words" -- "$cur")',
        "  fi",
        "}",
        f"complete -o filenames -F _{name} {prog}",
    ]
    return "\n".join(lines) + "\n"


def _bash_case(options: Sequence[_Option], words: Sequence[str]) -> Iterator[str]:
    flags = " ".join(flag for one in options for flag in one.flags)
    yield f"    options='{flags}'"
    if words:
        yield f"    words='{' '.join(words)}'"
    taking = [one for one in options if one.takes]
    if taking:
        yield "    case $prev in"
        for one in taking:
            values = " ".join(one.choices) or "-"
            yield f"    {'|'.join(one.flags)}) values='{values}' ;;"
        yield "    esac"


# ---------------------------------------------------------------- zsh


def _zsh(prog: str, own: Sequence[_Option], commands: Sequence[_Command]) -> str:
    name = _identifier(prog)
    lines = [
        f"#compdef {prog}",
        f'# zsh completion for {prog}: eval "$({prog} completion zsh)"',
        f"_{name}() {{",
        "  local context state state_descr line",
        "  typeset -A opt_args",
        "  local -a commands=(",
        *(f"    {_quoted(f'{one.name}:{one.help}')}" for one in commands),
        "  )",
        "  _arguments -C \\",
        *(f"    {spec} \\" for option in own for spec in _zsh_option(option)),
        "    '1:command:->command' '*::argument:->argument'",
        "  case $state in",
        f"  command) _describe -t commands '{prog} command' commands ;;",
        "  argument)",
        "    case $words[1] in",
    ]
    for one in commands:
        lines += [f"    {one.name})", "      _arguments \\"]
        specs = [spec for option in one.options for spec in _zsh_option(option)]
        words = f"_alternative 'words:word:({' '.join(one.words)})' 'files:file:_files'"
        rest = f"{{{words}}}" if one.words else "_files"
        specs.append(_quoted(f"*:argument:{rest}"))
        lines.append(" \\\n".join(f"        {spec}" for spec in specs))
        lines.append("      ;;")
    lines += [
        "    esac ;;",
        "  esac",
        "}",
        f'if [[ ${{funcstack[1]}} == _{name} ]]; then _{name} "$@"',
        f"else compdef _{name} {prog}; fi",
    ]
    return "\n".join(lines) + "\n"


def _zsh_option(option: _Option) -> Iterator[str]:
    what = option.help.replace("[", "(").replace("]", ")").replace(":", " ")
    value = ""
    if option.takes:
        values = f"({' '.join(option.choices)})" if option.choices else "_files"
        value = f":value:{values}"
    for flag in option.flags:
        yield _quoted(f"*{flag}[{what}]{value}")


def _quoted(text: str) -> str:
    """One word of a shell, whatever is in it."""
    return "'" + text.replace("'", "'\\''") + "'"


# ---------------------------------------------------------------- fish


def _fish(prog: str, own: Sequence[_Option], commands: Sequence[_Command]) -> str:
    lines = [f"# fish completion for {prog}: {prog} completion fish | source"]
    first = "-n __fish_use_subcommand"
    lines += [_fish_option(prog, first, one) for one in own]
    for one in commands:
        lines.append(
            f"complete -c {prog} {first} -f -a {one.name} -d {_told(one.help)}"
        )
        where = f"-n '__fish_seen_subcommand_from {one.name}'"
        lines += [_fish_option(prog, where, option) for option in one.options]
        if one.words:
            lines.append(f"complete -c {prog} {where} -a {_told(' '.join(one.words))}")
    return "\n".join(lines) + "\n"


def _fish_option(prog: str, where: str, option: _Option) -> str:
    parts = [f"complete -c {prog} {where}"]
    for flag in option.flags:
        parts.append(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}")
    if option.choices:
        parts.append(f"-x -a {_told(' '.join(option.choices))}")
    elif option.takes:
        parts.append("-r")
    return " ".join([*parts, f"-d {_told(option.help)}"])


def _told(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _identifier(prog: str) -> str:
    return re.sub(r"\W", "_", prog)


SHELLS: Mapping[str, Callable[[str, Sequence[_Option], Sequence[_Command]], str]] = (
    MappingProxyType({"bash": _bash, "zsh": _zsh, "fish": _fish})
)
"""What there is a script for."""
