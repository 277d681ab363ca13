"""Golden caret frames, and the places that ops lead to."""

from pathlib import Path

import pytest
from xdsl.dialects import test as opaque
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Block, Region

from dycl.diag import SourceLoc

SOURCE = """\
class Net:
    def forward(self, x):
        if self.gate(x) > 0.5:  # skip
            return {"y": x, "n": 1}
        y = self.block(x) + self.other(
            x, x
        )
\tz = 1
        return "größer", self.head(y)
"""


@pytest.fixture
def net(tmp_path: Path) -> str:
    path = tmp_path / "net.py"
    path.write_text(SOURCE.replace("\t", "        "), encoding="utf-8")
    return str(path)


def at(file: str, line: int, col: int) -> FileLineColLoc:
    return FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(col))


@pytest.mark.parametrize(
    ("line", "col", "text"),
    [
        (3, 9, "if self.gate(x) > 0.5"),  # a compound statement: its header
        (3, 12, "self.gate(x) > 0.5"),  # the widest expression that starts here
        (3, 27, "0.5"),
        (4, 13, 'return {"y": x, "n": 1}'),
        (2, 5, "def forward(self, x)"),
        (5, 13, "self.block(x) + self.other("),  # several lines: the first of them
        (9, 26, "self.head(y)"),  # columns count characters, not bytes
        (3, 10, "f"),  # nothing starts here: one character
    ],
)
def test_span_is_found_in_the_source(net: str, line: int, col: int, text: str) -> None:
    assert SourceLoc(net, line, col).text() == text


def test_frame_has_arrow_source_and_carets(net: str) -> None:
    frame = SourceLoc(net, 4, 13).frame()
    assert frame == (
        f"  --> {net}:4:13\n"
        "   |\n"
        ' 4 |             return {"y": x, "n": 1}\n'
        "   |             ^^^^^^^^^^^^^^^^^^^^^^^"
    )


def test_frame_aligns_wide_line_numbers_and_tabs(tmp_path: Path) -> None:
    path = tmp_path / "tabs.py"
    path.write_text("\n" * 99 + "if 1:\n\tx = abs(3)\n")
    assert SourceLoc(str(path), 101, 6).frame() == (
        f"    --> {path}:101:6\n     |\n 101 | \tx = abs(3)\n     | \t    ^^^^^^"
    )


def test_given_end_column_counts(net: str) -> None:
    assert SourceLoc(net, 3, 12, 16).text() == "self"


def test_frame_of_a_missing_file_is_the_arrow_line() -> None:
    assert SourceLoc("gone.py", 3, 7).frame() == "  --> gone.py:3:7"


def test_file_that_is_not_python_gets_one_caret(tmp_path: Path) -> None:
    path = tmp_path / "a.mlir"
    path.write_text("%x = arith.constant\n")
    assert SourceLoc(str(path), 1, 1).frame().endswith("\n   | ^")


def test_call_chain_is_shown_from_the_inside_out(net: str) -> None:
    inner = CallSiteLoc(at("block.py", 2, 5), at(net, 5, 13))
    place = SourceLoc.from_attr(CallSiteLoc(inner, at(net, 9, 26)))
    assert place is not None
    assert place.frame() == (
        "  --> block.py:2:5\n"
        f"   = note: called from {net}:5:13, `self.block(x) + self.other(`\n"
        f"   = note: called from {net}:9:26, `self.head(y)`"
    )


def test_names_and_fused_places_are_looked_through() -> None:
    known = at("net.py", 3, 7)
    fused = FusedLoc([UNKNOWN_LOC, NameLoc(StringAttr("gate"), known)], NoneAttr())
    assert SourceLoc.from_attr(fused) == SourceLoc("net.py", 3, 7)


def test_unknown_callee_leaves_the_caller() -> None:
    place = SourceLoc.from_attr(CallSiteLoc(UNKNOWN_LOC, at("net.py", 1, 2)))
    assert place == SourceLoc("net.py", 1, 2)


def test_attribute_and_place_are_inverse() -> None:
    place = SourceLoc("a.py", 1, 2, called_from=SourceLoc("b.py", 3, 4))
    assert SourceLoc.from_attr(place.to_attr()) == place


def test_place_of_an_op_is_that_of_what_encloses_it() -> None:
    inner = opaque.TestOp()
    outer = opaque.TestOp(regions=[Region(Block([inner]))])
    outer.location = at("net.py", 8, 1)
    module = ModuleOp([outer])
    assert SourceLoc.of(inner) == SourceLoc("net.py", 8, 1)
    assert SourceLoc.of(module) is None


def test_a_file_that_was_edited_is_shown_as_it_is_now(net):
    at = SourceLoc(net, 1, 1)
    assert "class Net:" in at.frame()
    Path(net).write_text("class Renamed:\n", encoding="utf-8")
    assert "class Renamed:" in at.frame()


def test_files_of_one_name_in_two_folders(tmp_path, monkeypatch):
    at = SourceLoc("net.py", 1, 1)
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "net.py").write_text(f"{name}()\n", encoding="utf-8")
        monkeypatch.chdir(tmp_path / name)
        assert f"{name}()" in at.frame()
