"""`dycl-opt` in process: exit statuses, crashes, remarks; and its start-up."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import test as opaque
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dycl.diag import CompileError, CompileErrors, PassFailed, SourceLoc, remark
from dycl.tools.opt import run
from dycl.tools.opt_verify import expectations
from dycl.tools.pass_docs import OptionDoc, options, summary
from dycl.universe import everything


@dataclass(frozen=True)
class ProbePass(ModulePass):
    """Does what a test asks for."""

    name = "research-probe"

    what: str = "nothing"
    """What to do."""

    no_doc: int = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ops = [inner for inner in op.walk() if isinstance(inner, opaque.TestOp)]
        match self.what:
            case "crash":
                raise RuntimeError("boom")
            case "fail":
                raise PassFailed("cannot do it", ops[0], hint="ask less")
            case "refuse":
                places = [SourceLoc("net.py", line, 1) for line in (3, 4)]
                errors = [CompileError("DY101", "no", place) for place in places]
                raise CompileErrors(errors)
            case _:
                for inner in ops:
                    remark(inner, "not done", "nobody asked")


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    passes = everything().all_passes
    monkeypatch.setitem(passes, ProbePass.name, lambda: ProbePass)
    monkeypatch.chdir(tmp_path)
    Path("a.mlir").write_text('"test.op"() : () -> ()\n')


def probe_run(what: str, *flags: str) -> int:
    return run([f"--research-probe=what={what}", *flags, "a.mlir"])


@pytest.mark.usefixtures("probe")
def test_crash_is_one_line_and_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert probe_run("crash") == 3
    (folder,) = Path().glob("dycl-crash-*")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "dycl-opt: error: internal error[DY901]: RuntimeError: boom; "
        f"to see it again: sh {folder}/reproduce.sh"
    ]
    assert "what=crash" in (folder / "reproduce.sh").read_text()
    assert (folder / "input.mlir").read_text() == Path("a.mlir").read_text()


@pytest.mark.usefixtures("probe")
def test_failed_pass_is_placed_and_has_a_remedy(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert probe_run("fail") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "a.mlir:1:1: error: cannot do it [DY290]",
        "  --> a.mlir:1:1",
        "   |",
        ' 1 | "test.op"() : () -> ()',
        "   | ^",
        "   = help: ask less".ljust(64) + " (dycl explain DY290)",
    ]


@pytest.mark.usefixtures("probe")
def test_all_refusals_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert probe_run("refuse") == 1
    err = capsys.readouterr().err
    assert "net.py:3:1: error: no [DY101]" in err
    assert "net.py:4:1: error: no [DY101]" in err


@pytest.mark.usefixtures("probe")
def test_remarks_are_told_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert probe_run("nothing") == 0
    assert capsys.readouterr().err == ""
    assert probe_run("nothing", "--remarks") == 0
    line = "a.mlir:1:1: remark: not done: nobody asked\n"
    assert capsys.readouterr().err == line


@pytest.mark.parametrize(
    ("comment", "status"),
    [
        ("expected-remark {{not done: nobody}}", 0),
        ("expected-remark@above {{nobody}}", 1),
        ("expected-error {{nobody}}", 1),
        ("expected-warning {{nobody}}", 1),
        ("", 0),
    ],
)
@pytest.mark.usefixtures("probe")
def test_remarks_can_be_expected(comment: str, status: int) -> None:
    Path("a.mlir").write_text(f'"test.op"() : () -> () // {comment}\n')
    assert probe_run("nothing", "--verify-diagnostics") == status


@pytest.mark.usefixtures("probe")
def test_error_in_another_file_satisfies_any_line() -> None:
    text = "// expected-error {{no [DY101]}}\n" * 2 + '"test.op"() : () -> ()\n'
    Path("a.mlir").write_text(text)
    assert probe_run("refuse", "--verify-diagnostics") == 0
    assert probe_run("nothing", "--verify-diagnostics") == 1


def test_expectations_count_lines_from_the_start_of_the_file() -> None:
    text = "\n// expected-error@+2 {{a}}\n// expected-error@above {{b}} x"
    assert [(e.line, e.text) for e in expectations(text, 10)] == [(14, "a"), (12, "b")]


def test_missing_file_and_wrong_kind_of_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([str(tmp_path / "gone.mlir")]) == 1
    (tmp_path / "a.txt").write_text("")
    assert run([str(tmp_path / "a.txt")]) == 2
    err = capsys.readouterr().err.splitlines()
    assert err == [
        f"dycl-opt: error: No such file or directory: {tmp_path}/gone.mlir",
        "dycl-opt: error: cannot read '.txt' files; --frontend=mlir?",
    ]


def test_options_come_with_their_docs() -> None:
    assert summary(ProbePass) == "Does what a test asks for."
    assert options(ProbePass) == (
        OptionDoc("what", "str", "nothing", "What to do."),
        OptionDoc("no-doc", "int", "3", ""),
    )


def test_deep_nesting_parses_and_prints(tmp_path: Path) -> None:
    depth = 300
    path = tmp_path / "deep.mlir"
    closing = '"test.termop"() : () -> ()\n}) : () -> ()\n'
    path.write_text('"test.op"() ({\n' * depth + closing * depth)
    command = [sys.executable, "-m", "dycl.tools.opt", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.count("test.op") == depth


def test_start_up_imports_no_torch(tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_text("func.func @f() { func.return }")
    code = (
        "import sys; from dycl.tools.opt import run; "
        f"run(['--list-passes']); run(['--cse', {str(path)!r}]); "
        "heavy = {'torch', 'torch_mlir', 'numpy', 'sympy'} & sys.modules.keys(); "
        "sys.exit(str(sorted(heavy)) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
