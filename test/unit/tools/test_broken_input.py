"""What cannot be read, or is not there, is said in a sentence by every tool."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from dycl import universe
from dycl.kernels.cpu import opt as kernel_opt
from dycl.tools import cli, opt, run
from dycl.universe import PluginError, everything

RELU = """func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "relu.mlir"
    path.write_text(RELU, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("tool", [opt.run, run.run, kernel_opt.main])
def test_bytes_that_are_no_text_have_a_place(tool, tmp_path: Path, capsys) -> None:
    path = tmp_path / "bytes.mlir"
    path.write_bytes(b"// a\n  \xff")
    assert tool([str(path)]) == 1
    said = capsys.readouterr().err
    assert f"{path}:2:3: error: the byte 0xff is not UTF-8, as text has to be" in said


def test_show_says_so_too(tmp_path: Path, capsys) -> None:
    path = tmp_path / "bytes.mlir"
    path.write_bytes(b"\xff")
    assert cli.run(["show", str(path), "hcfg"]) == 1
    assert f"{path}:1:1: error: the byte 0xff" in capsys.readouterr().err


def test_weights_of_another_format_are_refused(program: str, capsys) -> None:
    assert run.run([program, "--args", "[[1, 2]]", "--weights", program]) == 2
    assert "is not a safetensors file: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("pipeline", "sentence"),
    [
        ("dycl-unroll-loops{max-trip=3}", "did you mean 'max-trip-count'?"),
        ("dycl-unroll-loops{max-trip-count=many}", "Incompatible types"),
        ("dycl-unrol-loops", "did you mean 'dycl-unroll-loops'?"),
        ("dycl-unroll-loops{", "--same-after: "),
    ],
)
def test_same_after_takes_a_pipeline(
    pipeline: str, sentence: str, program: str, capsys
) -> None:
    assert run.run([program, "--args", "[[1, 2]]", "--same-after", pipeline]) == 2
    assert sentence in capsys.readouterr().err


def _plugins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **texts: str) -> None:
    """Let these modules be all plug-ins that are installed."""
    points: list[EntryPoint] = []
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        points.append(EntryPoint(name, f"{name}:UNIVERSE", "xdsl.universe"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(universe, "entry_points", lambda group: points)


_UNIVERSE = """from xdsl.universe import Universe
def load():
    {load}
UNIVERSE = Universe(all_passes={{"research-x": load}})
"""


def test_plugin_that_raises_at_import_is_named(monkeypatch, tmp_path: Path) -> None:
    _plugins(monkeypatch, tmp_path, raises_at_import="1 / 0")
    with pytest.raises(PluginError, match=r"'raises_at_import' .*: ZeroDivisionError"):
        everything.__wrapped__()


def test_plugin_of_another_kind_is_named(monkeypatch, tmp_path: Path) -> None:
    _plugins(monkeypatch, tmp_path, of_another_kind="UNIVERSE = 3")
    with pytest.raises(PluginError, match="'of_another_kind' .* is a int, not an"):
        everything.__wrapped__()


def test_two_plugins_of_one_pass_are_named(monkeypatch, tmp_path: Path) -> None:
    text = _UNIVERSE.format(load="pass")
    _plugins(monkeypatch, tmp_path, first_of_two=text, second_of_two=text)
    sentence = "'first_of_two' and 'second_of_two' both define the pass 'research-x'"
    with pytest.raises(PluginError, match=sentence):
        everything.__wrapped__()


def test_pass_that_cannot_be_loaded_is_named(monkeypatch, tmp_path: Path) -> None:
    _plugins(monkeypatch, tmp_path, loads_badly=_UNIVERSE.format(load="{}['x']"))
    load = everything.__wrapped__().all_passes["research-x"]
    with pytest.raises(PluginError, match="pass 'research-x' of the plug-in 'loads_ba"):
        load()


def test_tools_say_it_in_a_sentence(monkeypatch, tmp_path: Path, capsys) -> None:
    _plugins(monkeypatch, tmp_path, breaks_the_tool="1 / 0")
    everything.cache_clear()
    try:
        assert opt.run(["--list-passes"]) == 2
    finally:
        everything.cache_clear()
    said = capsys.readouterr().err
    assert said.startswith("error[DY292]: the plug-in 'breaks_the_tool'")
    assert "repair the package, or uninstall it" in said
