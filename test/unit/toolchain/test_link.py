"""Shared objects that were linked before are found again, and no others."""

import subprocess

import pytest

from dycl.runtime.loading import load_from_memory
from dycl.support.store import Store
from dycl.toolchain import CCompiler, Common, find_compiler, link

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="needs a C compiler")

SOURCE = '#include "twice.h"\nint dycl_run(int x) { return TWICE(x); }\n'
HEADER = "#define TWICE(x) ((x) * 2)\n"


@pytest.fixture
def built(tmp_path, monkeypatch):
    """Link a host, and say how often a tool was run for it."""
    store = Store(tmp_path)
    runs = []
    run = link._run

    def counted(command, at):
        runs.append(command)
        run(command, at)

    monkeypatch.setattr(link, "_run", counted)

    def build(source=SOURCE, header=HEADER, objects=(), target=None, **options):
        before = len(runs)
        sources = {"host.c": source, "twice.h": header}
        made = link.shared_object(
            dict(objects), sources, target, "host.c", store=store, **options
        )
        return made, len(runs) - before

    return build


def test_the_second_time_no_tool_is_run(built):
    (first, runs), (second, none) = built(), built()
    assert (first, runs, none) == (second, 2, 0)


@pytest.mark.parametrize(
    "changed",
    [
        {"source": SOURCE.replace("TWICE(x)", "TWICE(x) + 1")},
        {"header": HEADER.replace("* 2", "+ (x)")},
        {"target": "x86-64-v2"},
        {"names": {"dycl_run": "run"}},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_what_decides_the_code_is_in_the_key(built, changed):
    built()
    assert built(**changed)[1] == 2


def test_a_kernel_that_changed_is_linked_anew(built, tmp_path):
    def kernel(number):
        (tmp_path / "k.c").write_text(f"int kernel(void) {{ return {number}; }}\n")
        command = [*find_compiler().command, "-c", "-fPIC", "k.c", "-o", "k.o"]
        subprocess.run(command, cwd=tmp_path, check=True)
        return (tmp_path / "k.o").read_bytes()

    source = "extern int kernel(void);\nint dycl_run(void) { return 1; }\n"
    first, runs = built(source, objects={"k": kernel(1)})
    other, again = built(source, objects={"k": kernel(2)})
    assert (runs, again) == (2, 2)
    assert first != other


@pytest.mark.parametrize("name", ["CPATH", "SOURCE_DATE_EPOCH"])
def test_variables_that_compilers_read_are_in_the_key(built, monkeypatch, name):
    monkeypatch.delenv(name, raising=False)
    built()
    monkeypatch.setenv(name, "1")
    assert built()[1] == 2


def test_another_compiler_is_asked(built, monkeypatch, tmp_path):
    built()
    own = find_compiler()
    other = tmp_path / "other"
    other.write_text(f'#!/bin/sh\nexec {own} "$@"\n')
    other.chmod(0o755)
    monkeypatch.setattr(link, "find_compiler", lambda: CCompiler((str(other),)))
    assert built()[1] == 2
    other.write_text(f'#!/bin/sh\n\nexec {own} "$@"\n')  # an update
    assert built()[1] == 2
    assert built()[1] == 0


def test_a_compiler_that_is_not_there(built, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler --fast")
    with pytest.raises(link.LinkError, match="`no-such-compiler` cannot be run"):
        built()


def test_what_fails_is_not_kept(built):
    for _ in range(2):
        with pytest.raises(link.LinkError, match="fails"):
            built("int dycl_run(\n")


def test_a_damaged_file_is_made_anew(built, tmp_path):
    first, _ = built()
    (kept,) = (path for path in tmp_path.glob("*/*") if path.is_file())
    kept.write_bytes(kept.read_bytes()[:-1])
    assert built() == (first, 2)


def test_what_many_have_in_common_is_compiled_once(built, monkeypatch):
    text = '#include "twice.h"\nint twice(int x) { return TWICE(x); }\n'
    host = "int twice(int x);\nint dycl_run(int x) { return twice(x) + %d; }\n"
    common = Common("common.c", {"common.c": text, "twice.h": HEADER})
    first, runs = built(host % 1, common=common)
    _, again = built(host % 2, common=common)
    monkeypatch.setattr(link, "_common", {})  # as in another process
    _, from_store = built(host % 3, common=common)
    assert (runs, again, from_store) == (3, 2, 2)
    changed = Common("common.c", {**common.sources, "twice.h": "#define TWICE(x) 0\n"})
    other, anew = built(host % 1, common=changed)
    assert (other != first, anew) == (True, 3)
    assert load_from_memory(first, "first").dycl_run(4) == 9
    assert load_from_memory(other, "other").dycl_run(4) == 1
