"""Code that is loaded from memory."""

import ctypes
import os
import subprocess

import pytest

from dycl.runtime.loading import load_from_memory
from dycl.toolchain import find_compiler

CC = find_compiler()

pytestmark = pytest.mark.skipif(CC is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def codes(tmp_path_factory):
    """Shared objects that give 0, 1 and 2."""
    at = tmp_path_factory.mktemp("loading")
    for i in range(3):
        (at / "a.c").write_text(f"int number(void) {{ return {i}; }}")
        command = [
            *CC.command,
            "-shared",
            "-nostdlib",
            "-fPIC",
            "a.c",
            "-o",
            f"{i}.so",
        ]
        subprocess.run(command, cwd=at, check=True)
    return [(at / f"{i}.so").read_bytes() for i in range(3)]


def test_each_is_itself_and_no_file_stays_open(codes):
    before = sorted(os.listdir("/proc/self/fd"))
    loaded = [load_from_memory(code, "test") for code in codes]
    assert [one.number() for one in loaded] == [0, 1, 2]
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_what_was_unloaded_does_not_come_back(codes):
    dlclose = ctypes.CDLL(None).dlclose
    dlclose.argtypes = [ctypes.c_void_p]
    for i in (0, 1, 2, 0, 1):
        loaded = load_from_memory(codes[i], "test")
        assert loaded.number() == i
        dlclose(loaded._handle)


def test_what_is_no_code(codes):
    with pytest.raises(OSError, match="ELF"):
        load_from_memory(b"no code" * 1000, "test")
