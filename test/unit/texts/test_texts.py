"""Text of every level becomes the network that the model becomes."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import dycl
from dycl.diag import CompileErrors, PassFailed
from dycl.driver.texts import compile_text, lower_text
from dycl.pipelines import PipelineError
from dycl.tools import cli

LEVELS = ("source", "normal", "typed", "hcfg", "host")


class Net(torch.nn.Module):
    """An exit, a loop, state-free; weights on both paths."""

    def __init__(self):
        super().__init__()
        self.small, self.large = torch.nn.Linear(8, 4), torch.nn.Linear(8, 4)

    def forward(self, x):
        p = self.small(x).softmax(-1)
        if p.max() > 0.5:
            return p
        while x.sum() < 10:
            x = x + 1
        return {"logits": self.large(x), "sure": False}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `--keep` writes, and the weights."""
    folder = tmp_path_factory.mktemp("kept")
    torch.manual_seed(0)
    model = Net().eval()
    save_file(model.state_dict(), folder / "w.safetensors")
    dycl.compile(model, (torch.ones(1, 8),), keep=folder)
    return folder


def text_of(kept: Path, level: str) -> Path:
    [path] = kept.glob(f"??-{level}.mlir")
    return path


@pytest.fixture(scope="module")
def model() -> Net:
    torch.manual_seed(0)
    return Net().eval()


def is_sure(model: Net, x: torch.Tensor) -> bool:
    return bool(model.small(x).softmax(-1).max() > 0.5)


def inputs(model: Net) -> list[torch.Tensor]:
    """Both sides of the exit, and the loop not at all, once and often."""
    values = [torch.randn(1, 8) * scale for scale in (0.1, 5.0, 50.0)]
    values += [torch.full((1, 8), 1.25), torch.full((1, 8), 1.0)]
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(1000, 1, 8, generator=generator) * 4
    values += [x for x in rows if x.sum() > 10 and not is_sure(model, x)][:1]
    sure = [is_sure(model, x) for x in values]
    assert set(sure) == {True, False}
    return values


@pytest.mark.parametrize("level", LEVELS)
def test_text_goes_on_from_its_level(level: str, kept: Path, model: Net) -> None:
    net = compile_text(text_of(kept, level), kept / "w.safetensors")
    paths = set()
    for x in inputs(model):
        wanted, given = model(x), net(x)
        torch.testing.assert_close(given, wanted)
        paths.add(tuple(d.taken for d in net.path))
    assert {(True,), (False, False)} < paths
    assert {d[2].rpartition("/")[2] for d in net.decisions} == {"test_texts.py"}
    assert net.host == "native"


@pytest.mark.parametrize("level", ["hcfg", "host"])
def test_kernels_may_have_any_name(level: str, kept: Path, model: Net) -> None:
    """Also that of the function itself, and words that C keeps for itself."""
    text = text_of(kept, level).read_text(encoding="utf-8")
    kernels = sorted({*re.findall(r"launch @(\w+)", text)})
    names = ["double", "dycl_run", "k", "k_prepare"]
    for name, other in zip(kernels, names, strict=True):
        text = re.sub(rf"@{name}\b", f"@{other}", text)
    net = compile_text(text, kept / "w.safetensors", host="native")
    for x in inputs(model):
        torch.testing.assert_close(net(x), model(x))


def test_a_level_is_printed_without_kernels(kept: Path, monkeypatch) -> None:
    monkeypatch.setattr("dycl.driver.models.backends_for", None)
    hcfg = lower_text(text_of(kept, "typed"), "hcfg")
    assert sum("dycl.kernel" in op.attributes for op in hcfg.ops) == 4
    with pytest.raises(PipelineError, match="is of the level typed, behind normal"):
        lower_text(text_of(kept, "typed"), "normal")


def test_an_edit_changes_the_network(kept: Path) -> None:
    """A constant of the typed text is another one, and its line is the user's."""
    text = text_of(kept, "typed").read_text(encoding="utf-8")
    assert text.count("5.000000e-01") == 1
    weights = {
        name: np.zeros(shape, np.float32)
        for name, shape in (
            ("small.weight", (4, 8)),
            ("small.bias", (4,)),
            ("large.weight", (4, 8)),
            ("large.bias", (4,)),
        )
    }
    x = np.ones((1, 8), np.float32) * 9
    for bound, taken in (("5.000000e-01", False), ("2.000000e-01", True)):
        net = compile_text(text.replace("5.000000e-01", bound), weights)
        net(x)
        assert net.path[0].taken is taken
        assert "test_texts.py:" in str(net.path[0])


def test_start_from_skips_what_comes_before(kept: Path) -> None:
    normal = text_of(kept, "normal")
    with pytest.raises(PassFailed, match="DY401"):
        compile_text(normal, kept / "w.safetensors", start_from="host")
    with pytest.raises(PipelineError, match="no 'hosts'; did you mean"):
        compile_text(normal, kept / "w.safetensors", start_from="hosts")


def test_stop_after_ends_the_pipeline(kept: Path, tmp_path, capsys) -> None:
    """What `dycl compile` wrote half-way goes on to the network of the model."""
    typed, half = str(text_of(kept, "typed")), str(tmp_path / "half.mlir")
    asked = ["compile", typed, "--stop-after", "dycl-hoist-computation-free"]
    assert cli.run([*asked, "-o", half]) == 0
    assert "test_texts.py" in Path(half).read_text(encoding="utf-8")
    weights = kept / "w.safetensors"
    found = compile_text(Path(half), weights, start_from="dycl-outline-branches")
    wanted = compile_text(text_of(kept, "typed"), weights)
    assert found.stages["host"] == wanted.stages["host"]
    capsys.readouterr()
    assert cli.run(["show", typed, "ir", "--stop-after", "partition"]) == 0
    partition = capsys.readouterr().out
    assert cli.run(["show", typed, "ir", "--level", "hcfg"]) == 0
    assert capsys.readouterr().out == partition
    for wrong, said in (
        (["show", typed, "ir", "--stop-after", "partitions"], "did you mean"),
        (["show", typed, "ir", "--stop-after", "normalise"], "no 'normalise'"),
        (["show", typed, "hcfg", "--stop-after", "type"], "is for `dycl show NET ir`"),
        ([*asked, "-o", "half.dycl"], "-o OUT.mlir"),
    ):
        assert cli.run(wrong) == 2
        assert said in capsys.readouterr().err


def test_weights_must_fit(kept: Path) -> None:
    with pytest.raises(CompileErrors) as missing:
        compile_text(text_of(kept, "typed"))
    said = [str(error) for error in missing.value.errors]
    assert len(said) == 4
    assert "error[DY604]: there is no weight for `small.weight`" in said[0]
    assert "test_texts.py:" in said[0]
    weights = {"small.weight": np.zeros((8, 4), np.float32)}
    with pytest.raises(CompileErrors) as wrong:
        compile_text(text_of(kept, "host"), weights)
    assert (
        "`small.weight` is float32 [4, 8] here, but the given weight is float32 [8, 4]"
    ) in str(wrong.value.errors[0])


def broken(level: str, before: str, after: str, sentence: str):
    return pytest.param(level, before, after, sentence, id=f"{level}-{after[:25]}")


@pytest.mark.parametrize(
    ("level", "before", "after", "sentence"),
    [
        broken("host", "offset = 64 ", "offset = 0 ", "is in use at the same time"),
        broken("host", "arena = ", "arena = 1 : i64, old = ", "the arena has 1 bytes"),
        broken("host", "host.launch @", "host.launch @no_", "is not in this module"),
        broken("host", '"small.bias"', '"small.base"', "no weight for `small.base`"),
        broken("hcfg", "dycl.launch @", "dycl.launch @no_", "is not in this module"),
        broken("hcfg", "{dycl.kernel}", "{}", "which is not a kernel"),
        broken("hcfg", "[1,4],f32", "[1,5],f32", "not the f32 [1,5] that is written"),
        broken("hcfg", 'dycl.params = ["x"]', "dycl.params = 3", "a list of names"),
        broken("typed", "[1,4],f32", "[4,1],f32", "not the f32 [4,1] that is written"),
        broken("typed", "dycl.yield", 'dycl.leave "a"', "there is no scope"),
        broken("typed", 'test = "', 'test = 1, old = "', "not a text"),
        broken("normal", "dycl.entry", "dycl.exit", "one function to run"),
        broken(
            "normal",
            "dycl.constant @small",
            "dycl.constant @smell",
            "names @smell, which is not in",
        ),
        broken("normal", '"softmax"', '"softmix"', "softmix"),
        broken("normal", "[1,8],f32", "[1,9],f32", "[1, 9] X [8, 4]"),
        broken("source", "dycl.function<@", "dycl.function<@no_", "which is not in"),
    ],
)
def test_broken_text_is_a_sentence(
    level: str, before: str, after: str, sentence: str, kept: Path, tmp_path, capsys
) -> None:
    """From the command line: status 1, no traceback, no bug of ours."""
    text = text_of(kept, level).read_text(encoding="utf-8")
    assert before in text
    edited = tmp_path / "edited.mlir"
    edited.write_text(text.replace(before, after), encoding="utf-8")
    weights = str(kept / "w.safetensors")
    assert cli.run(["compile", str(edited), "--weights", weights]) == 1
    said = capsys.readouterr().err
    assert sentence in said
    assert "Traceback" not in said
    assert "DY901" not in said


def test_commands_take_text(kept: Path, tmp_path: Path, capsys) -> None:
    text, weights = str(text_of(kept, "typed")), str(kept / "w.safetensors")
    np.save(tmp_path / "x.npy", np.ones((1, 8), np.float32))
    saved = str(tmp_path / "net.dycl")
    assert cli.run(["compile", text, "--weights", weights, "-o", saved]) == 0
    given = ["--input", str(tmp_path / "x.npy")]
    capsys.readouterr()
    assert cli.run(["run", text, "--weights", weights, *given]) == 0
    first = capsys.readouterr().out
    assert "output['logits']: f32[1,4]" in first
    assert cli.run(["run", saved, *given]) == 0
    assert capsys.readouterr().out == first
    assert cli.run(["show", text, "ir", "--level", "host", "--locations"]) == 0
    shown = capsys.readouterr().out
    assert "host.func @forward" in shown
    assert 'test_texts.py":' in shown
    assert cli.run(["show", str(text_of(kept, "host")), "hcfg"]) == 0
    assert "p.max() &gt; 0.5" in (out := capsys.readouterr().out) or "p.max()" in out
