"""The scaffold makes an op whose tests pass, and that becomes one that computes."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
WORDS = ["clamp", "x", "low", "max"]
"""An operand is called as a function that its Python text calls."""

SHRINK_KERNEL = '''
    def kernel(self, x: Any, by: Any) -> str:
        rows = ", ".join(["affine_map<(i, j) -> (i, j)>"] * 3)
        return f"""
        func.func @shrink(%x: {x}, %by: {by}) -> {x} {{
          %zero = arith.constant 0.0 : f32
          %slope = arith.constant {self.given("slope"):e} : f32
          %empty = tensor.empty() : {x}
          %r = linalg.generic {{indexing_maps = [{rows}],
              iterator_types = ["parallel", "parallel"]}}
              ins(%x, %by : {x}, {by}) outs(%empty : {x}) {{
          ^body(%a: f32, %c: f32, %out: f32):
            %b = math.absf %c : f32
            %most = arith.mulf %slope, %b : f32
            %size = math.absf %a : f32
            %rest = arith.subf %size, %most : f32
            %more = arith.maximumf %rest, %zero : f32
            %s = math.copysign %more, %a : f32
            linalg.yield %s : f32
          }} -> {x}
          return %r : {x}
        }}"""
'''

SHOW_KERNELS = """
import runpy, sys
from dycl.driver.texts import lower_text
print(lower_text(runpy.run_path(sys.argv[1])["program"](), level="hcfg"))
"""


@pytest.fixture(scope="module")
def new_op() -> ModuleType:
    path = ROOT / "tools" / "new_op.py"
    spec = importlib.util.spec_from_file_location("new_op", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    keep = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "dycl", tmp_path / "dycl", ignore=keep)
    for name in (
        *("pyproject.toml", "tools/warm.py", "test/lit/lit.cfg.py"),
        "test/unit/host/conftest.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(checkout: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        check=False,
    )


def edit(path: Path, *pairs: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text)


def check_what_is_written(checkout: Path, test: str) -> list[str]:
    """The new op as written passes lit, ruff and its own test; how to run that."""
    found = run(checkout, "-c", "from lit.main import main; main()", "test/lit")
    assert found.returncode == 0, found.stdout
    assert "Passed: 1" in found.stdout
    for check in (["check"], ["format", "--check"]):
        files = ["dycl/ir/dialect", test]
        found = run(checkout, "-m", "ruff", *check, "--no-cache", *files)
        assert found.returncode == 0, found.stdout
    pytest_ = ["-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", test]
    found = run(checkout, *pytest_)
    assert found.returncode == 0, found.stdout
    return pytest_


def test_an_op_from_its_name_to_three_hosts(new_op: ModuleType, checkout: Path) -> None:
    assert new_op.main(WORDS, checkout) == 0
    test = "test/unit/host/test_clamp.py"
    pytest_ = check_what_is_written(checkout, test)

    first = "return operands[0]"
    edit(
        checkout / "dycl" / "ir" / "dialect" / "clamp.py",
        (
            f"-> object:\n        {first}",
            "-> object:\n        x, low, high = operands\n"
            "        return max(low, min(x, high))",
        ),
        (
            f"-> str:\n        {first}",
            "-> str:\n        x, low, high = operands\n"
            '        return f"max({low}, min({x}, {high}))"',
        ),
    )
    found = run(checkout, *pytest_)
    assert found.stdout.startswith("..F"), found.stdout
    edit(checkout / test, ("net(1, 2, 3) == 1", "net(1, 2, 3) == 2"))
    found = run(checkout, *pytest_)
    assert found.returncode == 0, found.stdout


def test_an_op_on_tensors_from_its_name_to_a_kernel(
    new_op: ModuleType, checkout: Path
) -> None:
    words = ["--tensor", "shrink", "x", "by", "--attr", "slope:float"]
    words += ["--attr", "dims:ints", "--attr", "mode:str", "--attr", "count:int"]
    assert new_op.main(words, checkout) == 0
    op = checkout / "dycl" / "ir" / "dialect" / "shrink.py"
    test = "test/unit/texts/test_shrink.py"
    pytest_ = check_what_is_written(checkout, test)

    formula = "x.sign() * (x.abs() - {} * by.abs()).relu()"
    gives = "        return operands[0].clone()\n"
    computed = formula.format('self.given("slope")')
    edit(op, (gives, f"        x, by = operands\n        return {computed}\n"))
    found = run(checkout, *pytest_)
    assert found.stdout.startswith("FFFF"), found.stdout
    edit(
        checkout / test,
        ("return x.clone()", f"return {formula.format('slope')}"),
        ("torch.full((2, 3), 1.0)", "torch.zeros(2, 3)"),
    )
    found = run(checkout, *pytest_)
    assert found.returncode == 0, found.stdout
    shown = run(checkout, "-c", SHOW_KERNELS, test)
    assert "dycl.launch @forward_head" in shown.stdout, shown.stderr
    assert "torch.aten.relu" in shown.stdout
    assert "dycl.shrink" not in shown.stdout

    op.write_text(op.read_text() + SHRINK_KERNEL)
    found = run(checkout, *pytest_)
    assert found.returncode == 0, found.stdout
    shown = run(checkout, "-c", SHOW_KERNELS, test)
    assert 'torch.operator "dycl.shrink"(' in shown.stdout, shown.stderr
    assert "torch.aten.relu" not in shown.stdout
    edit(op, ("arith.mulf %slope, %b", "arith.addf %slope, %b"))
    found = run(checkout, *pytest_)
    assert found.stdout.startswith("F"), "its own kernel is what runs"


def test_existing_op_is_not_overwritten(
    new_op: ModuleType, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert new_op.main(["select", "x"], checkout) == 2
    assert "there is a SelectOp already" in capsys.readouterr().err
    assert new_op.main(["loops", "x"], checkout) == 2
    assert "loops.py exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    "args",
    [
        *([], ["Clamp", "x"], ["dycl.clamp", "x"], ["clamp"], ["clamp", "x", "x"]),
        *(["clamp", "result"], ["clamp", "name"], ["clamp", "if"], ["pass", "x"]),
        *(["clamp", "x", "--attr", "n:int"], ["--tensor", "a", "x", "--attr", "n"]),
        *(["--tensor", "a", "x", "--attr", "n:bool"], ["--tensor", "a", "--attr"]),
        ["--tensor", "a", "x", "--attr", "x:int"],
    ],
)
def test_wrong_names_are_refused(
    new_op: ModuleType, args: list[str], tmp_path: Path
) -> None:
    assert new_op.main(args, tmp_path) == 2
    assert list(tmp_path.iterdir()) == []
