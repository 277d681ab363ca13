"""No file, class or function of `dycl/` is longer than the house rules allow."""

from pathlib import Path

import pytest

from tools import sizes


def test_nothing_in_dycl_is_too_long() -> None:
    assert sizes.over_in(sizes.ROOT / "dycl") == []


def test_what_is_too_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sizes, "ROOT", tmp_path)
    body = "        x = 1\n" * 59
    function = f"    def f(self):\n{body}"
    (tmp_path / "good.py").write_text("class A:\n" + function)
    assert sizes.over_in(tmp_path) == []
    (tmp_path / "bad.py").write_text("class A:\n" + (function + "        x = 1\n") * 5)
    (tmp_path / "bad.c").write_text("\n" * 401)
    over = sizes.over_in(tmp_path)
    functions = [(61, f"bad.py:{2 + 61 * i} f") for i in range(5)]
    assert over == [(401, "bad.c"), (306, "bad.py:1 A"), *functions]
