"""The command `dycl`: targets, options, output, errors, exit status.

The compiler is a fake that records what it is asked for: what it makes of a network is
tested elsewhere.
"""

import dataclasses
import re
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from dycl.diag import CODES, CompileError, InternalError, SourceLoc
from dycl.options import CompileOptions
from dycl.report import build_graph
from dycl.tools import cli, cli_net
from dycl.tools.cli_show import parse_module
from dycl.tools.printing import print_run

HCFG = """
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y, %p = dycl.launch @head(%x)
    : (!torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.bool)
  dycl.if %p : !torch.bool {
    dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
  } {test = "p > 0.5"}
  %z, %q = dycl.launch @head(%y)
    : (!torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.bool)
  dycl.return %z : (!torch.vtensor<[2],f32>) -> ()
}
"""

NET = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(2))

    def forward(self, x):
        return x * self.weight

def build():
    return Net().eval()

net = build()
number = 3
def broken():
    return {}["weight"]
def seven():
    return 7
"""


POOL = SimpleNamespace(
    kernel="head", what="linalg.pooling_nchw_sum", place=SourceLoc("net.py", 7, 3)
)
NOWHERE = SimpleNamespace(kernel="head", what="linalg.matmul", place=None)


class FakeNet:
    stages = {"source": "SOURCE", "normal": "NORMAL\n"}  # noqa: RUF012
    graph = build_graph(parse_module(HCFG, "net.mlir"))
    host_source = "def run(): ..."
    kernel_stages = {"torch": "TORCH", "linalg": "LINALG"}  # noqa: RUF012
    path = ("exit 1: taken",)
    host, why_python = "python", "it was asked for"
    narrowing = rows = None
    library = SimpleNamespace(plain=(POOL, POOL, NOWHERE))

    def __call__(self, x):
        return {"y": x + 1, "rest": (3, None)}


class FakeCompiler:
    def __init__(self, error=None):
        self.error = error

    def __call__(self, model, inputs, options, listener, rows=None):
        self.rows = rows
        self.model, self.inputs, self.options = model, inputs, options
        listener.stage_started("source")
        listener.stage_done("source", 0.5, "1 function")
        if self.error is not None:
            raise self.error
        return FakeNet()


@pytest.fixture
def compiler():
    return FakeCompiler()


@pytest.fixture
def net(tmp_path, monkeypatch, request):
    """Path of a model's file, with a name that no other test imports."""
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / f"net_{abs(hash(request.node.name))}.py"
    file.write_text(NET)
    return str(file)


def test_a_file_that_takes_long_to_load_is_told(net, compiler, monkeypatch, capfd):
    """Before the first stage there is nothing else to be seen."""
    monkeypatch.setattr(cli_net, "_PATIENCE", 0.05)
    file = Path(net)
    file.write_text(f"import time\ntime.sleep(0.4)\n{NET}")
    assert cli.run(["run", f"{net}:build", "--input", "i64[2]"], compiler) == 0
    first, *rest = capfd.readouterr().err.splitlines()
    assert re.fullmatch(rf"   load {file.name} +0\.\d\d s +\.\.\.", first)
    assert rest[-1] == " source         0.50 s   1 function"


def test_run_prints_every_leaf_and_the_path_on_stdout(net, compiler, capfd):
    status = cli.run(["run", f"{net}:build", "--input", "i64[2]"], compiler)
    out, err = capfd.readouterr()
    x = compiler.inputs[0]
    assert status == 0
    assert out.splitlines() == [
        f"output['y']: i64[2] [{x[0] + 1}, {x[1] + 1}]",
        "output['rest'][0]: 3 (int)",
        "output['rest'][1]: None (NoneType)",
        "path:",
        "  exit 1: taken",
    ]
    assert err == " source         0.50 s   1 function\n"


@pytest.mark.parametrize(
    ("flags", "rows"),
    [(["--rows"], True), (["--rows-of", "x"], {"x": 0}), ([], None)],
)
def test_inputs_have_rows_where_the_flags_say_so(net, compiler, flags, rows):
    given = ["compile", f"{net}:build", "-i", "f32[1,2]", *flags]
    assert cli.run(given, compiler) == 0
    assert compiler.rows == rows


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["f32[3,2]", "--rows"], "`x` is to have rows: give an example of one row"),
        (["f32[1,2]", "--rows-of", "y"], "rows names `y`, which is no input"),
        (["f32[1,2]", "--rows", "--rows-of", "x"], "--rows is of all tensors"),
    ],
)
def test_inputs_that_have_no_rows(net, compiler, capfd, flags, message):
    assert cli.run(["compile", f"{net}:build", "-i", *flags], compiler) == 2
    assert message in capfd.readouterr().err


def test_each_path_is_printed_with_its_rows(capfd):
    some, other = ("exit 1: taken",), ("exit 1: not taken",)
    net = SimpleNamespace(rows=object(), paths=(some, other, some))
    print_run(net, 3)
    assert capfd.readouterr().out.splitlines() == [
        "output: 3 (int)",
        "path of rows 0, 2:",
        "  exit 1: taken",
        "path of row 1:",
        "  exit 1: not taken",
    ]


@pytest.mark.parametrize("given", [[], ["--input", "f32[2]"]])
def test_an_exported_program_is_a_model_with_inputs(tmp_path, compiler, given):
    class Twice(torch.nn.Module):
        def forward(self, x):
            return x * 2

    x = torch.tensor([0.5, 3.0])
    file = tmp_path / "twice.pt2"
    torch.export.save(torch.export.export(Twice(), (x,)), str(file))
    assert cli.run(["compile", str(file), *given], compiler) == 0
    (found,) = compiler.inputs
    assert found.shape == (2,)
    assert given or torch.equal(found, x)
    assert type(compiler.model).__name__ == "ExportedProgram"


def test_a_file_that_is_no_exported_program(tmp_path, compiler, capfd):
    file = tmp_path / "twice.pt2"
    assert cli.run(["compile", str(file)], compiler) == 2
    assert f"there is no file '{file}'" in capfd.readouterr().err
    file.write_bytes(b"nothing of the kind")
    assert cli.run(["compile", str(file)], compiler) == 1
    assert f"'{file}' cannot be loaded" in capfd.readouterr().err


def test_compile_prints_what_came_out(net, compiler, capfd):
    assert cli.run(["compile", f"{net}:build", "-i", "f32[2]"], compiler) == 0
    assert capfd.readouterr().out.splitlines() == [
        "decisions  1",
        "exits      2",
        "kernels    1, launched from 2 places",
        "host       python (it was asked for)",
        "plain      linalg.pooling_nchw_sum, net.py:7 (2 times)",
        "plain      linalg.matmul",
    ]


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        (["ir"], "NORMAL\n"),
        (["ir", "--level", "source"], "SOURCE\n"),
        (["kernels"], "TORCH\n"),
        (["kernels", "--stage", "linalg"], "LINALG\n"),
        (["host"], "def run(): ...\n"),
    ],
)
def test_show_prints_text(net, compiler, capfd, asked, printed):
    assert cli.run(["show", f"{net}:build", *asked, "-i", "f32[2]"], compiler) == 0
    assert capfd.readouterr().out == printed


def test_show_leaves_locations_out_unless_asked(net, compiler, capfd, monkeypatch):
    text = (
        '#loc = loc("net.py":1:2)\n'
        "module {\n"
        '  %a = f(%b) {test = "g(\\" loc(3)"} : (i1) -> i1 loc("a (1).py":3:4)\n'
        '  %c = f(%a) : (i1) -> i1 loc(callsite("f"("x.py":1:1) at fused[#loc]))\n'
        "} loc(#loc)\n"
    )
    monkeypatch.setattr(FakeNet, "stages", {"normal": text})
    asked = ["show", f"{net}:build", "ir", "-i", "f32[2]"]
    cli.run(asked, compiler)
    assert capfd.readouterr().out == (
        "module {\n"
        '  %a = f(%b) {test = "g(\\" loc(3)"} : (i1) -> i1\n'
        "  %c = f(%a) : (i1) -> i1\n"
        "}\n"
    )
    cli.run([*asked, "--locations"], compiler)
    assert capfd.readouterr().out == text


@pytest.mark.parametrize(
    ("form", "start"),
    [("dot", 'digraph "forward(x)" {'), ("mermaid", "flowchart TD"), ("svg", "<svg ")],
)
def test_show_draws(net, compiler, capfd, form, start):
    asked = ["show", f"{net}:build", "hcfg", "--format", form, "-i", "f32[2]"]
    assert cli.run(asked, compiler) == 0
    assert capfd.readouterr().out.startswith(start)


def test_show_draws_a_file_of_ir(tmp_path, capfd):
    (tmp_path / "a.mlir").write_text(HCFG)
    assert cli.run(["show", str(tmp_path / "a.mlir"), "hcfg"]) == 0
    assert "p > 0.5" in capfd.readouterr().out


def test_every_option_of_the_compiler_is_a_flag(net, compiler, tmp_path):
    flags = ["--keep", str(tmp_path), "--max-trip-count", "7", "--verify"]
    flags += ["--without", "dycl-unroll-loops", "--backend", "onnx"]
    flags += ["--max-iterations", "9", "--host", "python", "--max-unrolled", "5"]
    flags += ["--target", "x86-64-v3", "--no-cache", "--threads", "2"]
    flags += ["--weight-dtype", "bf16", "--pipeline", "default,cse"]
    flags += ["--matmul-dtype", "bf16", "--batch-trees"]
    flags += ["--kernel-timeout", "7.5", "--max-recursion", "6", "--whole-graph"]
    flags += ["--tuning", "t.json"]
    asked = ["compile", f"{net}:build", "-i", "f32[2]", *flags]
    assert cli.run(asked, compiler) == 0
    assert dataclasses.asdict(compiler.options) == {
        "keep": tmp_path,
        "max_trip_count": 7,
        "max_unrolled": 5,
        "max_iterations": 9,
        "max_recursion": 6,
        "batch_trees": True,
        "pipeline": "default,cse",
        "without": ("dycl-unroll-loops",),
        "verify": True,
        "host": "python",
        "backend": "onnx",
        "target": "x86-64-v3",
        "cache": False,
        "threads": 2,
        "weight_dtype": "bf16",
        "matmul_dtype": "bf16",
        "whole_graph": True,
        "tuning": Path("t.json"),
        "kernel_timeout": 7.5,
    }


def test_without_flags_the_options_are_the_defaults(net, compiler):
    assert cli.run(["compile", f"{net}:build", "-i", "f32[2]"], compiler) == 0
    assert compiler.options == CompileOptions()


@pytest.mark.parametrize("name", ["build", "Net", "net"])
def test_a_model_is_a_function_a_class_or_a_module(net, compiler, name):
    assert cli.run(["compile", f"{net}:{name}", "-i", "f32[2]"], compiler) == 0
    assert type(compiler.model).__name__ == "Net"


def test_weights_and_inputs_follow_the_seed(net, compiler):
    drawn = []
    for seed in ("1", "1", "2"):
        asked = ["compile", f"{net}:build", "-i", "f32[2]", "--seed", seed]
        cli.run(asked, compiler)
        drawn.append(torch.cat([compiler.model.weight, compiler.inputs[0]]))
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])


def test_a_model_in_training_mode_is_put_into_eval_and_that_is_said(
    net, compiler, capfd
):
    cli.run(["compile", f"{net}:Net", "-i", "f32[2]"], compiler)
    assert not compiler.model.training
    assert "training mode" in capfd.readouterr().err


def test_without_input_the_file_says_what_they_are(net, compiler):
    with open(net, "a") as file:
        file.write("def example_inputs():\n    return (torch.ones(2),)\n")
    assert cli.run(["compile", f"{net}:build"], compiler) == 0
    assert torch.equal(compiler.inputs[0], torch.ones(2))


def test_a_file_in_a_package_is_imported_by_its_full_name(tmp_path, compiler):
    package = tmp_path / "pack_of_test_cli"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "helper.py").write_text("SIZE = 2\n")
    (package / "model.py").write_text("from .helper import SIZE\n" + NET)
    asked = ["compile", f"{package / 'model.py'}:build", "-i", "f32[2]"]
    assert cli.run(asked, compiler) == 0
    assert type(compiler.model).__module__ == "pack_of_test_cli.model"


@pytest.mark.parametrize(
    ("target", "more", "message"),
    [
        ("{net}", [], "names no model; write FILE.py:NAME"),
        ("no.py:build", [], "there is no file 'no.py'"),
        ("{net}:biuld", [], "there is no 'biuld' in "),
        ("{net}:number", [], "is a int, not a model"),
        ("{net}:seven", [], "returns a int, not a torch.nn.Module"),
        ("{net}:build", ["--keep", "{net}"], "--keep needs a folder"),
        ("{net}:build", ["-i", "f33[2]"], "there is no dtype 'f33'"),
        ("{net}:build", ["--max-trip-count", "-1"], "max_trip_count is -1"),
        ("{net}:build", ["-d", "dycl-unrol-loops"], "did you mean 'dycl-unroll-loops'"),
        ("{net}:build", [], "say what the inputs are: --input f32[1,3,32,32]"),
    ],
)
def test_wrong_usage_is_a_sentence_and_status_2(
    net, compiler, capfd, target, more, message
):
    if message.startswith(("there is no 'biuld'", "is a", "returns a")):
        more = ["-i", "f32[2]"]
    asked = [text.format(net=net) for text in (target, *more)]
    assert cli.run(["compile", *asked], compiler) == 2
    err = capfd.readouterr().err
    assert err.startswith("dycl: error: ")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["ir", "--level", "sauce"], "did you mean 'source'? (known: source, normal)"),
        (["kernels", "--stage", "llvm"], "there is no stage 'llvm'"),
    ],
)
def test_an_unknown_level_or_stage_is_named_with_the_known_ones(
    net, compiler, capfd, asked, message
):
    assert cli.run(["show", f"{net}:build", *asked, "-i", "f32[2]"], compiler) == 2
    assert message in capfd.readouterr().err


def test_an_error_in_the_users_function_shows_the_users_lines_only(
    net, compiler, capfd
):
    assert cli.run(["compile", f"{net}:broken", "-i", "f32[2]"], compiler) == 1
    err = capfd.readouterr().err
    assert 'return {}["weight"]' in err
    assert err.endswith("KeyError: 'weight'\n")
    assert "cli_files" not in err


def test_an_error_in_the_users_file_shows_the_users_lines_only(net, compiler, capfd):
    with open(net, "a") as file:
        file.write("1 / 0\n")
    assert cli.run(["compile", f"{net}:build", "-i", "f32[2]"], compiler) == 1
    err = capfd.readouterr().err
    assert "cannot be imported" in err
    assert err.endswith("ZeroDivisionError: division by zero\n")
    assert "importlib" not in err
    assert "cli_files" not in err


def test_a_file_that_has_the_name_of_another_module_is_refused(
    tmp_path, compiler, capfd
):
    (tmp_path / "string.py").write_text(NET)
    asked = ["compile", f"{tmp_path / 'string.py'}:build", "-i", "f32[2]"]
    assert cli.run(asked, compiler) == 2
    assert "has the name of the Python module `string`" in capfd.readouterr().err


def test_a_refusal_is_printed_with_its_frame_and_status_1(net, capfd):
    at = SourceLoc(net, 10, 16)
    refusal = CompileError("DY101", "no `x * y` here", at, hint="do not")
    assert cli.run(["run", f"{net}:build", "-i", "f32[2]"], FakeCompiler(refusal)) == 1
    err = capfd.readouterr().err
    assert textwrap.dedent("""\
         10 |         return x * self.weight
            |                ^^^^^^^^^^^^^^^
        """) in textwrap.dedent(err.partition("|\n")[2])
    assert "error[DY101]: no `x * y` here" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InternalError("internal error[DY901]: oops"), "internal error[DY901]: oops"),
        (TypeError("oops"), "dycl: internal error: TypeError: oops"),
    ],
)
def test_a_bug_of_ours_is_called_one_and_has_status_3(net, capfd, error, line):
    assert cli.run(["run", f"{net}:build", "-i", "f32[2]"], FakeCompiler(error)) == 3
    assert capfd.readouterr().err.splitlines()[-1] == line


def test_without_a_command_the_help_is_shown(capfd):
    assert cli.run([]) == 2
    assert "doctor" in capfd.readouterr().err


def test_explain_knows_the_codes_that_errors_print(capfd):
    assert cli.run(["explain", "dy102"]) == 0
    out = capfd.readouterr().out
    assert out.startswith(f"DY102: {CODES['DY102']}\n\nrefused:\n")
    assert cli.run(["explain", "DY999"]) == 2
