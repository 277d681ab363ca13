"""What a person reads when something is wrong."""

import pickle
import re
from pathlib import Path

import pytest
from xdsl.dialects import test as opaque
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

import dycl
from dycl.diag import (
    CODES,
    CompileError,
    CompileErrors,
    InternalError,
    PassFailed,
    SourceLoc,
    collect_remarks,
    remark,
    report_crash,
)

CODE = r"\bDY\d{3}\b"


def test_compile_error_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.py").write_text(
        "def f(x, y):\n"
        "    if x > 0:\n"
        "        if y:\n"
        "            pass\n"
        "        else:\n"
        '                return {"y": y, "x": x}\n'
        "    else:\n"
        "               return y\n"
    )
    other = SourceLoc("m.py", 8, 16)
    error = CompileError(
        "DY302",
        "one side of this `if` returns a dict, the other a Tensor",
        SourceLoc("m.py", 6, 17),
        [f"the other side is at {other}, `{other.text()}`"],
        "return the same kind of value on every path",
    )
    assert str(error) == (
        "error[DY302]: one side of this `if` returns a dict, the other a Tensor\n"
        "  --> m.py:6:17\n"
        "   |\n"
        ' 6 |                 return {"y": y, "x": x}\n'
        "   |                 ^^^^^^^^^^^^^^^^^^^^^^^\n"
        "   = note: the other side is at m.py:8:16, `return y`\n"
        "   = help: return the same kind of value on every path           "
        "(dycl explain DY302)"
    )


def test_error_without_a_place_is_a_headline() -> None:
    assert str(CompileError("DY101", "no")) == "error[DY101]: no"


def test_error_takes_its_place_from_an_op() -> None:
    op = opaque.TestOp()
    op.location = FileLineColLoc(StringAttr("gone.py"), IntAttr(3), IntAttr(5))
    error = PassFailed("cannot", at=op)
    assert str(error) == "error[DY290]: cannot\n  --> gone.py:3:5"
    assert error.op is op


def test_codes_in_the_source_are_in_the_table() -> None:
    sources = Path(dycl.__file__).parent.rglob("*.py")
    used = {code for path in sources for code in re.findall(CODE, path.read_text())}
    assert used == set(CODES)


def test_both_kinds_are_at_the_top_of_the_package() -> None:
    assert dycl.CompileError is CompileError
    assert dycl.CompileErrors is CompileErrors


def test_several_errors_are_one() -> None:
    """Whoever catches or looks at one error need not know of the other class."""
    place = SourceLoc("m.py", 1, 1)
    first = CompileError("DY101", "one", place, ["a note"], "do this")
    second = CompileError("DY102", "two")
    both = CompileErrors([first, second])
    assert isinstance(both, CompileError)
    assert (both.code, both.what, both.at) == ("DY101", "one", place)
    assert (both.notes, both.hint) == (("a note",), "do this")
    assert both.errors == (first, second)
    assert first.errors == (first,)


def test_errors_pass_between_processes() -> None:
    place = SourceLoc("m.py", 1, 1)
    first = CompileError("DY101", "one", place, ["a note"], "do this")
    for error in (first, CompileErrors([first, CompileError("DY102", "two")])):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)


def test_several_errors_are_all_printed() -> None:
    errors = CompileErrors([CompileError("DY101", "one"), CompileError("DY102", "two")])
    assert str(errors) == "error[DY101]: one\n\nerror[DY102]: two\n\n2 errors"
    assert str(CompileErrors(errors.errors[:1])) == "error[DY101]: one"
    with pytest.raises(ValueError, match="at least one"):
        CompileErrors([])


def test_plain_xdsl_opt_knows_our_errors() -> None:
    assert issubclass(CompileError, DiagnosticException)
    assert issubclass(CompileErrors, DiagnosticException)
    assert issubclass(PassFailed, PassFailedException)


def test_codes_are_in_order_and_have_a_known_phase() -> None:
    assert list(CODES) == sorted(CODES)
    assert all(re.fullmatch(r"DY[1234569]\d\d", code) for code in CODES)


def test_crash_folder_has_what_it_takes(tmp_path: Path) -> None:
    try:
        raise RuntimeError("boom\nmore")
    except RuntimeError as caught:
        cause = caught
    error = report_crash(cause, "builtin.module {}", "cse,dce{a=b}", tmp_path)
    (folder,) = tmp_path.iterdir()
    assert isinstance(error, InternalError)
    assert str(error) == (
        "internal error[DY901]: RuntimeError: boom; "
        f"to see it again: sh {folder}/reproduce.sh"
    )
    assert re.fullmatch(r"dycl-crash-[0-9a-f]{8}", folder.name)
    texts = {path.name: path.read_text() for path in folder.iterdir()}
    assert texts["input.mlir"] == "builtin.module {}"
    assert texts["pipeline.txt"] == "cse,dce{a=b}\n"
    assert "xdsl 0.74" in texts["versions.txt"]
    assert "test_crash_folder_has_what_it_takes" in texts["traceback.txt"]
    assert "dycl-opt input.mlir -p 'cse,dce{a=b}'" in texts["reproduce.sh"]


def test_same_crash_gives_the_same_folder(tmp_path: Path) -> None:
    for _ in range(2):
        report_crash(ValueError("x"), "", "cse", tmp_path)
    assert len(list(tmp_path.iterdir())) == 1


def test_remarks_are_collected_once_in_order() -> None:
    op = opaque.TestOp()
    op.location = FileLineColLoc(StringAttr("m.py"), IntAttr(12), IntAttr(9))
    remark(op, "not seen", "nobody collects")
    with collect_remarks() as remarks:
        remark(op, "not unrolled", "the bound `n` is not constant")
        remark(op, "not outlined", "one op")
        remark(op, "not unrolled", "the bound `n` is not constant")
    assert [str(r) for r in remarks] == [
        "m.py:12:9: remark: not unrolled: the bound `n` is not constant",
        "m.py:12:9: remark: not outlined: one op",
    ]


def test_inner_collector_takes_all() -> None:
    with collect_remarks() as outer, collect_remarks() as inner:
        remark(opaque.TestOp(), "not done", "reason")
    assert len(inner) == 1
    assert str(inner[0]) == "test.op: remark: not done: reason"
    assert outer == []


def test_what_is_said_of_several_depths_of_a_recursion_is_said_of_the_first() -> None:
    def at(*lines: int) -> SourceLoc:
        place = None
        for line in reversed(lines):
            place = SourceLoc("m.py", line, 1, called_from=place)
        assert place is not None
        return place

    def said(*places: SourceLoc) -> list[SourceLoc | None]:
        errors = [CompileError("DY301", "no", place) for place in places]
        return [error.at for error in CompileErrors(errors).errors]

    first, second, third = at(5, 9), at(5, 7, 9), at(5, 7, 7, 9)
    assert said(first, second, third) == [first, second]
    assert said(at(5, 8, 7, 7, 9), third, at(5, 7, 7, 9)) == [third]
    other = at(6, 7, 7, 9)
    assert said(third, other) == [third, other]
    # A function that is called from several places has a complaint of each call.
    assert said(at(5, 9), at(5, 10)) == [at(5, 9), at(5, 10)]
