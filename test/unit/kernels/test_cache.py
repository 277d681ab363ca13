"""Compiled kernels are found again, and never the wrong ones."""

import json
import os
import re
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dycl.diag import CompileError
from dycl.kernels.cpu import CpuBackend, keys, many
from dycl.kernels.cpu.keys import key_of
from dycl.kernels.cpu.settings import Settings
from dycl.kernels.cpu.unit import compile_unit
from dycl.support import store
from dycl.support.store import Store, default_store

PAGE = 4096  # what a small file takes on a disk
VEC = "!torch.vtensor<[4],f32>"


def relu(name: str, place: str = '"net.py":3:5', op: str = "relu") -> str:
    return f"""func.func @{name}(%x: {VEC}) -> {VEC} {{
        %y = torch.aten.{op} %x : {VEC} -> {VEC} loc({place})
        return %y : {VEC}
    }}"""


WEIGHTED = """func.func @product(%x: !torch.vtensor<[1,40],f32>,
    %w: !torch.vtensor<[40,40],f32> {dycl.weight}) -> !torch.vtensor<[1,40],f32> {
  %y = torch.aten.mm %x, %w : !torch.vtensor<[1,40],f32>, !torch.vtensor<[40,40],f32>
    -> !torch.vtensor<[1,40],f32>
  return %y : !torch.vtensor<[1,40],f32>
}"""
MANY = "\n".join(
    relu(f"k{i}_{op}", op=op)
    for i, op in enumerate(("relu", "tanh", "sigmoid", "exp", "neg", "abs"))
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "kernels"


def compiled(text: str, **options: Any) -> tuple[Any, int]:
    """The library, and how many of its kernels were in the cache."""
    hits: list[bool] = []
    library = CpuBackend(**options).compile(
        text, progress=lambda count, total, name, cached: hits.append(cached)
    )
    return library, sum(hits)


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*/*") if path.is_file())


def run(library: Any, name: str) -> list[float]:
    x, y = np.array([-1, 2, -3, 4], "f4"), np.zeros(4, "f4")
    library[name].launch(x.ctypes.data, y.ctypes.data)
    return y.tolist()


def test_cold_and_warm_are_the_same_bytes() -> None:
    (cold, missed), (warm, found) = compiled(MANY), compiled(MANY)
    assert (missed, found) == (0, 6)
    assert cold.objects() == warm.objects()
    assert cold.shared_object() == warm.shared_object()
    fresh, hits = compiled(MANY, cache=False)
    assert hits == 0
    assert fresh.objects() == cold.objects()


def test_what_a_kernel_wants_made_of_its_weights_is_kept() -> None:
    (cold, _), (warm, found) = compiled(WEIGHTED), compiled(WEIGHTED)
    assert found == 1
    prepared = [library["product"].prepared for library in (cold, warm)]
    assert prepared[0] is not None
    assert prepared[0].weights == prepared[1].weights == (1,)
    assert prepared[0].outputs == prepared[1].outputs
    assert cold["product"].inputs_left == warm["product"].inputs_left == (0,)
    assert cold["product"].words == warm["product"].words


def test_the_workspace_is_kept() -> None:
    text = """func.func @k(%x: !torch.vtensor<[64,64],f32>)
        -> !torch.vtensor<[64,64],f32> {
      %y = torch.aten.mm %x, %x : !torch.vtensor<[64,64],f32>,
        !torch.vtensor<[64,64],f32> -> !torch.vtensor<[64,64],f32>
      %z = torch.aten.mm %y, %y : !torch.vtensor<[64,64],f32>,
        !torch.vtensor<[64,64],f32> -> !torch.vtensor<[64,64],f32>
      return %z : !torch.vtensor<[64,64],f32>
    }"""
    sizes = [compiled(text)[0]["k"].workspace for _ in range(2)]
    assert sizes[0] == sizes[1] >= 64 * 64 * 4


def test_names_and_places_do_not_matter(folder: Path) -> None:
    compiled(relu("one"))
    library, found = compiled(relu("another", '"other.py":7:1'))
    assert found == 1
    assert run(library, "another") == [0, 2, 0, 4]
    assert len(entries(folder)) == 1
    assert '"other.py":7:1' in library.stages()["linalg"]


def test_equal_kernels_of_one_network_are_compiled_once(folder: Path) -> None:
    library, _ = compiled(relu("one") + relu("two"))
    assert len(entries(folder)) == len(library.objects()) == 1
    assert run(library, "one") == run(library, "two") == [0, 2, 0, 4]


def test_all_that_is_equal_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress reaches its total, and what the cache has is read once."""
    text = relu("one") + relu("other", op="tanh") + relu("two")
    steps: list[tuple[int, int, str, bool]] = []
    read: list[str] = []
    get = Store.get

    def noted(at: Store, key: str) -> bytes | None:
        if at.folder.name == "kernels":
            read.append(key)
        return get(at, key)

    monkeypatch.setattr(Store, "get", noted)
    for _ in range(2):
        CpuBackend().compile(text, progress=lambda *step: steps.append(step))
    cold, warm = steps[:3], steps[3:]
    for three in (cold, warm):
        assert [(count, total) for count, total, _, _ in three] == [
            (1, 3),
            (2, 3),
            (3, 3),
        ]
        assert {name for _, _, name, _ in three} == {"one", "other", "two"}
    assert [cached for *_, cached in cold] == [False] * 3
    assert [cached for *_, cached in warm] == [True] * 3
    assert len(read) == 4
    assert len(set(read)) == 2


def test_another_operation_level_compiler_or_processor_is_a_miss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    how = Settings(opt_level=2, target="native", threads=1)
    same = (relu("k"), str(how))
    found = [key_of(*same), key_of(relu("k", op="tanh"), str(how))]
    others: list[dict[str, Any]] = [
        {"opt_level": 1},
        {"target": "x86-64-v3"},
        {"threads": 2},
        {"without": ("cpu-winograd",)},
    ]
    found += [key_of(relu("k"), str(replace(how, **other))) for other in others]
    monkeypatch.setattr(keys, "processor", lambda: "another")
    found.append(key_of(*same))
    monkeypatch.setattr(keys, "compiler_digest", lambda: "another")
    found.append(key_of(*same))
    assert len(set(found)) == 8


def test_an_edit_of_a_pass_or_schedule_is_a_miss(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = ("kernels/cpu/step.py", "schedules/order.mlir", *keys._SOURCES[2:])
    paths = [tmp_path / name for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
    monkeypatch.setattr(store.resources, "files", lambda package: tmp_path)
    digests = [keys.compiler_digest.__wrapped__()]
    for path in paths:
        path.write_text("2")
        digests.append(keys.compiler_digest.__wrapped__())
    paths[0].rename(tmp_path / "kernels" / "step.py")
    digests.append(keys.compiler_digest.__wrapped__())
    assert len(set(digests)) == 2 + len(paths)


def test_all_that_the_kernels_import_decides_the_key() -> None:
    """Also what is imported only inside functions."""
    home = Path(keys.__file__).parents[2]
    named: set[str] = set()
    for at in keys._SOURCES:
        sources = (home / at).rglob("*.py") if (home / at).is_dir() else [home / at]
        for path in sources:
            named |= set(re.findall(r"^\s*from dycl\.([\w.]+)", path.read_text(), re.M))
    files = [at for at in keys._SOURCES if at.endswith(".py")]
    folders = [at for at in keys._SOURCES if at not in files]
    known = {at.removesuffix(".py").removesuffix("/__init__") for at in keys._SOURCES}
    # Messages, places, the cache itself, how code is linked and loaded, and how
    # `dycl-kernel-opt` reads a file decide no code.
    cache = ("support.store", "support.plain_data")
    inside = ("diag", *cache, "runtime.loading", "toolchain", *folders)
    prefixes = tuple(f"{at.replace('/', '.')}." for at in inside)
    modules = {at.replace("/", ".") for at in (*known, *inside)} | {"ir.placing_parser"}
    foreign = {n for n in named if n not in modules and not n.startswith(prefixes)}
    assert foreign == set()


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_a_damaged_entry_is_compiled_anew(folder: Path, damage: str) -> None:
    compiled(relu("k"))
    (path,) = entries(folder)
    whole = path.read_bytes()
    flipped = whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:]
    path.write_bytes({"cut": whole[:-7], "flipped": flipped, "empty": b""}[damage])
    library, found = compiled(relu("k"))
    assert found == 0
    assert run(library, "k") == [0, 2, 0, 4]
    assert path.read_bytes() == whole


def test_two_processes_at_once(folder: Path, tmp_path: Path) -> None:
    program = (
        "from dycl.kernels.cpu import CpuBackend\n"
        "import sys, hashlib, pathlib\n"
        "library = CpuBackend().compile(pathlib.Path(sys.argv[1]).read_text())\n"
        "print(hashlib.sha256(library.shared_object()).hexdigest())\n"
    )
    (tmp_path / "many.mlir").write_text(MANY)
    command = [sys.executable, "-c", program, str(tmp_path / "many.mlir")]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    digests = {process.communicate()[0] for process in running}
    assert [process.returncode for process in running] == [0, 0]
    assert len(digests) == 1
    assert len(entries(folder)) == 6
    assert compiled(MANY)[1] == 6


def test_the_bound_is_kept_and_what_was_used_last_stays(tmp_path: Path) -> None:
    kept = Store(tmp_path, bound=4 * PAGE - 1)
    keys = [f"{i:02}key" for i in range(5)]
    for age, key in enumerate(keys):
        kept.put(key, bytes(1000))
        long_ago = 1_000_000 + age
        os.utime(tmp_path / key[:2] / key[2:], (long_ago, long_ago))
    assert kept.get(keys[0]) == bytes(1000)  # now it was used last
    kept.trim()
    assert [key for key in keys if kept.get(key)] == [keys[0], keys[3], keys[4]]


def test_what_another_user_has_written_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path)
    kept.put("00key", b"ours")
    (path,) = entries(tmp_path)
    assert path.stat().st_mode & 0o077 == 0
    assert kept.get("00key") == b"ours"
    if os.geteuid() == 0:
        os.chown(path, 4711, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert kept.get("00key") is None


def test_what_others_may_write_to_is_not_read(tmp_path: Path) -> None:
    kept = Store(tmp_path / "kernels")
    kept.put("00key", b"ours")
    assert kept.folder.stat().st_mode & 0o777 == 0o700
    (path,) = entries(kept.folder)
    path.chmod(0o620)
    assert kept.get("00key") is None
    path.chmod(0o600)
    kept.folder.chmod(0o777)
    assert kept.get("00key") == b"ours"
    assert kept.folder.stat().st_mode & 0o022 == 0  # it is closed to them


def test_a_folder_of_somebody_else_is_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path)
    kept.put("00key", b"ours")
    if os.geteuid() == 0:
        os.chown(tmp_path, 4711, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert kept.get("00key") is None
    kept.put("01key", b"more")
    assert len(entries(tmp_path)) == 1


def test_an_entry_under_another_key_is_not_found(tmp_path: Path) -> None:
    """Its digest is right, and its content is wrong."""
    kept = Store(tmp_path)
    kept.put("00key", b"ours")
    (path,) = entries(tmp_path)
    (tmp_path / "00" / "other").write_bytes(path.read_bytes())
    assert kept.get("00other") is None


def test_content_that_nothing_can_be_made_of_is_not_found(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    kept.put("00key", b"no JSON")
    assert kept.get("00key") == b"no JSON"
    assert kept.find("00key", json.loads) is None
    kept.put("00key", b"{}")
    assert kept.find("00key", json.loads) == {}


@pytest.mark.parametrize("content", [b"[]", bytes(100)])
def test_compiling_goes_on_with_wrong_contents(
    folder: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    """Each with the right digest, in all that is kept of a module."""
    compiled(MANY)
    for path in folder.parent.rglob("*"):
        if path.is_file() and path.name != "lock":
            kept = Store(path.parents[1])
            kept.put(path.parent.name + path.name, content)
    assert compiled(MANY)[1] == 0  # of the cache
    assert compiled(MANY)[1] > 0


def test_files_are_counted_only_when_there_is_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    entries_of = Store._entries

    def counting(at: Store) -> Any:
        counts.append(1)
        return entries_of(at)

    monkeypatch.setattr(Store, "_entries", counting)

    def put(number: int, bound: int = 100 * PAGE) -> int:
        """Store one value, as a process of its own would; how often files counted."""
        one, before = Store(tmp_path, bound), len(counts)
        one.put(f"{number:02}key", bytes(1000))
        one.trim()
        return len(counts) - before

    lock = tmp_path / "lock"
    assert put(0) == 1  # nobody knew
    assert [put(n) for n in range(1, 10)] == [0] * 9
    # The count is right: ten fit, and the eleventh is one too many.
    assert put(10, 10 * PAGE) == 1
    assert len(entries(tmp_path)) == 9
    assert put(11, 10 * PAGE) == 0
    for damaged in (b"", b"\xff" * 16, lock.read_bytes()[:9], struct.pack("<dQ", 0, 0)):
        lock.write_bytes(damaged)
        assert put(12, 10 * PAGE) == 1


def test_who_finds_the_count_locked_does_not_wait(tmp_path: Path) -> None:
    one, other = Store(tmp_path, 2 * PAGE - 1), Store(tmp_path, 2 * PAGE - 1)
    one.put("00key", bytes(1000))
    with one._locked():
        other.put("01key", bytes(3500))
        other.trim()
    assert len(entries(tmp_path)) == 2
    other.trim()
    assert len(entries(tmp_path)) == 1


def test_two_processes_that_trim_keep_the_bound(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from dycl.support.store import Store\n"
        "for i in range(200):\n"
        "    one = Store(pathlib.Path(sys.argv[1]), 40 * 4096)\n"
        "    one.put(f'{i % 7:02}{sys.argv[2]}{i}', bytes(500))\n"
        "    one.trim()\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    running = [subprocess.Popen([*command, name]) for name in ("a", "b", "c")]
    assert [process.wait() for process in running] == [0, 0, 0]
    Store(tmp_path, 40 * PAGE).trim()
    # Each may have missed the count once while another had it.
    assert len(entries(tmp_path)) <= 40 + 20


def test_kernels_that_are_known_take_no_compiler(tmp_path: Path) -> None:
    compiled(MANY)
    program = (
        "import pathlib, sys\n"
        "from dycl.kernels.cpu import CpuBackend\n"
        "library = CpuBackend().compile(pathlib.Path(sys.argv[1]).read_text())\n"
        "print(len(library.objects()), 'torch_mlir' in sys.modules)\n"
    )
    file = tmp_path / "many.mlir"
    file.write_text(MANY)
    command = [sys.executable, "-c", program, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "6 False\n"


def test_a_known_module_whose_kernel_is_gone_is_compiled(folder: Path) -> None:
    first, _ = compiled(MANY)
    entries(folder)[0].unlink()
    again, found = compiled(MANY)
    assert found == 5
    assert again.objects() == first.objects()
    assert compiled(MANY)[1] == 6


def test_compiling_trims(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(
        "dycl.kernels.cpu.backend.default_store", lambda kind: Store(folder, 5 * PAGE)
    )
    compiled(MANY)
    assert 0 < len(entries(folder)) < 6
    assert sum(path.stat().st_size for path in entries(folder)) <= 5 * PAGE


def test_a_folder_that_cannot_be_written_is_no_error(folder: Path) -> None:
    folder.parent.write_text("a file")
    assert compiled(relu("k"))[1] == compiled(relu("k"))[1] == 0


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert default_store("kernels").folder == tmp_path / "cache" / "kernels"
    monkeypatch.delenv("DYCL_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_store("kernels").folder == tmp_path / "dycl" / "kernels"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_store("kernels").folder == tmp_path / ".cache" / "dycl" / "kernels"


def test_without_it_nothing_is_written(folder: Path) -> None:
    compiled(relu("k"), cache=False)
    assert not folder.exists()


def test_processes_and_one_process_give_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone, _ = compiled(MANY, cache=False)
    monkeypatch.setattr(many, "_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(many, "processors", lambda: 3)
    together, _ = compiled(MANY, cache=False)
    assert together.objects() == alone.objects()


BAD = f"""func.func @bad(%x: {VEC}) -> {VEC} {{
    %none = torch.constant.none
    %y = torch.aten.rand_like %x, %none, %none, %none, %none, %none
      : {VEC}, !torch.none, !torch.none, !torch.none, !torch.none, !torch.none
      -> {VEC} loc("net.py":9:1)
    return %y : {VEC}
}}"""


@pytest.mark.parametrize("cores", [1, 3])
def test_a_kernel_that_fails_is_named_and_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    monkeypatch.setattr(many, "_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(many, "processors", lambda: cores)
    with pytest.raises(CompileError) as caught:
        compiled(MANY + BAD)
    assert caught.value.code == "DY502"
    assert "@bad" in str(caught.value)
    assert caught.value.at is not None
    assert (caught.value.at.file, caught.value.at.line) == ("net.py", 9)
    assert len(entries(folder)) <= 6


OVERWRITTEN = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "MALLOC_PERTURB_": "85"}
"""With these, glibc overwrites memory that is given back."""
COMPILES = """
import sys
from dycl.diag import CompileError
from dycl.kernels.cpu import CpuBackend
try:
    CpuBackend(cache=False).compile(sys.stdin.read())
except CompileError as error:
    print(error)
"""


def test_why_a_kernel_fails_is_not_read_from_memory_given_back() -> None:
    run = subprocess.run(
        [sys.executable, "-c", COMPILES],
        input=MANY + BAD,
        env={**os.environ, **OVERWRITTEN},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "net.py:9 draws random numbers" in run.stdout


def dies_unverified(text: str, **options: Any) -> Any:
    if not options["verify_each"]:
        os.abort()
    return compile_unit(text, **options)


def test_who_dies_is_asked_again_with_each_step_verified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(many, "_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(many, "processors", lambda: 2)
    monkeypatch.setattr(many, "compile_unit", dies_unverified)
    library, _ = compiled(MANY, cache=False)
    assert run(library, "k0_relu") == [0, 2, 0, 4]
