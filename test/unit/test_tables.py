"""Table, file, class, docstring and lit folder of a pass say the same words."""

import ast
import inspect
from importlib import import_module
from pathlib import Path

import pytest
from xdsl.passes import ModulePass

from dycl.passes import PASSES, get_all_passes
from dycl.tools.pass_docs import options, summary

ROOT = Path(__file__).resolve().parents[2]
LIT = ROOT / "test" / "lit" / "passes"
SECTIONS = ("Before", "After", "Needs:", "Leaves:", "Skips:")

each_pass = pytest.mark.parametrize("name", PASSES)


def load(name: str) -> type[ModulePass]:
    return get_all_passes()[name]()


def test_table_is_alphabetical() -> None:
    assert list(PASSES) == sorted(PASSES)


def test_every_file_is_in_the_table() -> None:
    files = {path.stem for path in (ROOT / "dycl" / "passes").glob("*.py")}
    named = {where.split(":")[0] for where in PASSES.values()}
    assert {file for file in files if not file.startswith("_")} == named


def test_every_lit_folder_is_in_the_table() -> None:
    folders = {path.name for path in LIT.iterdir() if path.is_dir()}
    assert folders == {name.removeprefix("dycl-") for name in PASSES}


@each_pass
def test_words_agree(name: str) -> None:
    words = name.removeprefix("dycl-").split("-")
    assert name.startswith("dycl-")
    assert PASSES[name] == f"{'_'.join(words)}:{''.join(map(str.title, words))}Pass"
    assert load(name).name == name


@each_pass
def test_head_of_file_has_all_sections(name: str) -> None:
    head = import_module(load(name).__module__).__doc__ or ""
    assert head.startswith(f"`{name}`: ")
    missing = [word for word in SECTIONS if word not in head]
    assert not missing, f"the docstring of {name} lacks {missing}"
    positions = [head.index(word) for word in SECTIONS]
    assert positions == sorted(positions)


@each_pass
def test_class_and_options_say_what_they_are(name: str) -> None:
    cls = load(name)
    assert summary(cls).endswith(".")
    assert "ModulePass(" not in summary(cls), "the dataclass made this docstring up"
    undocumented = [option.name for option in options(cls) if not option.doc]
    assert not undocumented


@each_pass
def test_lit_tests_run_the_pass(name: str) -> None:
    folder = LIT / name.removeprefix("dycl-")
    runs = [
        line
        for path in folder.iterdir()
        if path.is_file()
        for line in path.read_text().splitlines()
        if "RUN:" in line and name in line
    ]
    assert runs, f"no RUN line in {folder.name}/ names {name}"


@each_pass
def test_pass_does_not_read_the_environment(name: str) -> None:
    source = inspect.getsource(import_module(load(name).__module__))
    assert "os.environ" not in source
    assert "getenv" not in source


def test_passes_do_not_run_passes() -> None:
    """What a pipeline runs is what its text says; `dycl-repeat` takes its from it."""
    classes = {where.split(":")[1] for where in PASSES.values()}
    for path in (ROOT / "dycl" / "passes").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        assert not imported & classes, f"{path.name} runs {imported & classes}"


SAYS_BY_ITS_RESULT = {
    "dycl-check-hcfg": "a check reports",
    "dycl-check-host": "a check reports",
    "dycl-check-normal": "a check reports",
    "dycl-check-typed": "a check reports",
    "dycl-eliminate-dead-code": "what stays may be needed",
    "dycl-expand-modules": "dycl-check-typed says what is left",
    "dycl-fold-sequences": "dycl-carry-lists says which lists it carries",
    "dycl-hoist-computation-free": "what stays in a kernel costs nothing there",
    "dycl-import-calls": "dycl-check-normal says what is left",
    "dycl-infer-shapes": "dycl-check-typed says what has no type",
    "dycl-lower-host": "dycl-check-host says what is left",
    "dycl-lower-switches": "it skips nothing",
    "dycl-promote-objects": "dycl-check-normal says what is left",
    "dycl-place-copies": "whether all kernels are for one device is seen at once",
    "dycl-propagate-constants": "what a run computes is no constant",
    "dycl-repeat": "it skips nothing",
    "dycl-return-inputs": "dycl-expand-modules refuses what is left",
    "dycl-return-lists": "dycl-carry-lists refuses what is left",
    "dycl-settle-writes": "dycl-lift-state says which attributes change",
    "dycl-share-kernels": "kernels that differ are no skipped ones",
    "dycl-specialize-sizes": "it skips nothing that is asked for",
    "dycl-share-subexpressions": "what another side computes is no skipped one",
}
"""Passes without a remark of their own, and why they need none."""


@each_pass
def test_a_pass_that_skips_says_why(name: str) -> None:
    folder = LIT / name.removeprefix("dycl-")
    texts = [path.read_text() for path in folder.glob("*.mlir")]
    tested = any("expected-remark" in t or "remark: " in t for t in texts)
    source = inspect.getsource(import_module(load(name).__module__))
    if name in SAYS_BY_ITS_RESULT:
        assert "remark(" not in source
    else:
        assert tested, f"no lit test of {name} expects a remark"
