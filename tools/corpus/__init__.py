"""Other people's programs, compiled and held against eager: `python -m tools.corpus`.

A *library* is a source of programs (`tools/corpus/libraries`); a *program* makes a
module and its inputs. Each is judged in a process of its own, with limits of time and
memory, and its result is one line of a file of results, from which a run goes on
(`--resume`) and the page `docs/coverage.md` is written (`--page`).
"""
