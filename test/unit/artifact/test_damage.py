"""What happens to a file, to weights and to inputs: a sentence each, and no run."""

import contextlib
import json
import random
import subprocess
import zipfile

import numpy as np
import pytest
import safetensors.numpy
import torch

import dycl
from dycl.runtime import ArtifactError, InputError, WeightError, artifact, manifest
from dycl.runtime.members import page_sums
from dycl.toolchain import find_compiler

CC = find_compiler()

HOSTS = ("native", "python")


@pytest.fixture(scope="module")
def data(saved):
    return saved.read_bytes()


@pytest.fixture
def never_run(monkeypatch):
    """Code of a damaged file is not even loaded."""
    monkeypatch.setattr(artifact, "load_code", None)
    monkeypatch.setattr(artifact, "NativeLibrary", None)


def sections(path):
    """Name -> where in the archive a member's content is."""
    found = {}
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            head = path.read_bytes()[info.header_offset :][26:30]
            start = info.header_offset + 30 + head[0] + 256 * head[1]
            start += head[2] + 256 * head[3]
            found[info.filename] = (start, start + info.file_size)
    return found


def test_flipped_bits_in_each_section(saved, data, tmp_path, never_run):
    """Every place is one of some hundred that are drawn, the first and the last too."""
    draw = random.Random(0)
    for name, (start, end) in sections(saved).items():
        places = {start, end - 1, *(draw.randrange(start, end) for _ in range(12))}
        for place in sorted(places):
            wrong = bytearray(data)
            wrong[place] ^= 1 << draw.randrange(8)
            (tmp_path / "wrong.dycl").write_bytes(wrong)
            with pytest.raises(ArtifactError, match="DY603") as caught:
                dycl.load(tmp_path / "wrong.dycl")
            assert name in str(caught.value)


def test_flipped_bits_between_the_sections(saved, data, tmp_path, inputs):
    """Headers of the archive: an error, or the bit means nothing to a reader."""
    draw = random.Random(1)
    inside = {p for start, end in sections(saved).values() for p in range(start, end)}
    outside = [p for p in range(len(data)) if p not in inside and data[p]]
    x = inputs[0].numpy()
    right = dycl.load(saved)(x)
    errors = 0
    for place in draw.sample(outside, 300):
        wrong = bytearray(data)
        wrong[place] ^= 1 << draw.randrange(8)
        (tmp_path / "wrong.dycl").write_bytes(wrong)
        try:
            got = dycl.load(tmp_path / "wrong.dycl")(x)
        except ArtifactError:
            errors += 1
        else:
            assert got["side"] == right["side"]
            assert np.array_equal(got["y"], right["y"])
    assert errors > 20


def test_any_end(data, tmp_path, never_run):
    draw = random.Random(2)
    for end in sorted(draw.sample(range(len(data)), 60)):
        (tmp_path / "cut.dycl").write_bytes(data[:end])
        with pytest.raises(ArtifactError, match="not a .dycl file, or it is damaged"):
            dycl.load(tmp_path / "cut.dycl")


def test_pages_that_changed_places(saved, tmp_path, net, never_run):
    """Sums of rows alone, or of columns, would not notice."""
    net.save(tmp_path / "net", folder=True)
    file = tmp_path / "net" / "weights.safetensors"
    right = file.read_bytes()
    assert len(right) > 8192
    for size in (8, 64, 4096):
        pieces = [right[i : i + size] for i in range(0, len(right), size)]
        one = next(i for i, p in enumerate(pieces) if i and p != pieces[i - 1])
        pieces[one - 1], pieces[one] = pieces[one], pieces[one - 1]
        file.write_bytes(b"".join(pieces))
        with pytest.raises(ArtifactError, match=r"damaged: weights.safetensors"):
            dycl.load(tmp_path / "net")
    file.write_bytes(right + b"\0")
    with pytest.raises(ArtifactError, match=r"damaged: weights.safetensors"):
        dycl.load(tmp_path / "net")


def test_sums_of_pages():
    draw = np.random.default_rng(0)
    for size in (0, 1, 7, 8, 4095, 4096, 4097, 4096 * 200 + 5):
        data = bytearray(draw.bytes(size))
        sums = page_sums(data)
        assert page_sums(memoryview(bytes(data))) == sums
        for place in {0, size // 2, size - 1} & set(range(size)):
            data[place] ^= 128
            assert page_sums(data) != sums
            data[place] ^= 128
        assert page_sums(data + b"\0") != sums


def test_a_manifest_that_was_edited(saved, net, tmp_path, never_run):
    net.save(tmp_path / "net", folder=True)
    file = tmp_path / "net" / "manifest.json"
    right = json.loads(file.read_text())
    for name in right:
        wrong = {key: value for key, value in right.items() if key != name}
        file.write_text(json.dumps(wrong))
        with pytest.raises(ArtifactError, match=r"damaged: manifest\.json.*DY603"):
            dycl.load(tmp_path / "net")
    headless = f'{{"format": {manifest.FORMAT}}}'
    for text in ("[]", "{}", "null", "", "\x00", headless):
        file.write_text(text)
        with pytest.raises(ArtifactError, match=r"damaged: manifest\.json.*DY603"):
            dycl.load(tmp_path / "net")


# ---- weights


@pytest.mark.parametrize("host", HOSTS)
def test_weights_of_any_memory(saved, model, inputs, tmp_path, host):
    """Unaligned, read-only, strided, in foreign byte order: copied into shape."""
    state = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    want = [dycl.load(saved, host=host)(x)["y"] for x in inputs]

    def unaligned(array):
        raw = np.empty(array.nbytes + 1, np.uint8)[1:]
        made = raw.view(array.dtype).reshape(array.shape)
        made[...] = array
        assert made.size < 2 or not made.flags.aligned
        return made

    def frozen(array):
        made = array.copy()
        made.flags.writeable = False
        return made

    forms = {
        "unaligned": unaligned,
        "read-only": frozen,
        "Fortran": lambda a: np.array(a, order="F"),
        "strided": lambda a: np.repeat(a, 2, 0)[::2] if a.ndim else a,
        "foreign": lambda a: a.astype(a.dtype.newbyteorder(">")),
    }
    for form in forms.values():
        loaded = dycl.load(saved, host=host)
        zeros = {name: np.zeros_like(array) for name, array in state.items()}
        loaded.load_weights(zeros)
        loaded.load_weights({name: form(array) for name, array in state.items()})
        for x, y in zip(inputs, want, strict=True):
            assert torch.equal(loaded(x)["y"], y)


def test_damaged_weights_files(saved, model, tmp_path):
    state = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    right = safetensors.numpy.save(state)
    loaded = dycl.load(saved)
    draw = random.Random(3)
    length = int.from_bytes(right[:8], "little")
    file = tmp_path / "w.safetensors"
    for end in (0, 4, 8, 8 + length // 2, 8 + length, len(right) - 1):
        file.write_bytes(right[:end])
        with pytest.raises(ValueError, match="DY60[34]"):
            loaded.load_weights(file)
    for _ in range(200):
        wrong = bytearray(right)
        wrong[draw.randrange(8 + length)] ^= 1 << draw.randrange(8)
        file.write_bytes(wrong)
        with contextlib.suppress(ArtifactError, WeightError):
            loaded.load_weights(file)


@pytest.mark.skipif(CC is None, reason="there is no C compiler")
def test_what_c_says_of_weights(net, model, tmp_path):
    net.save(tmp_path / "net", folder=True)
    (tmp_path / "open.c").write_text(
        "#include <dycl.h>\n#include <stdio.h>\nint main(int n, char **w) {\n"
        "dycl_net *net = dycl_open(w[n - 1]);\n"
        'puts(net ? "open" : dycl_why()); dycl_destroy(net); return 0; }\n'
    )
    command = [
        *CC.command,
        "-Inet",
        "open.c",
        "net/model.so",
        "-o",
        "open",
    ]
    command += [f"-Wl,-rpath,{tmp_path / 'net'}"]
    subprocess.run(command, cwd=tmp_path, check=True)

    def said(name):
        done = subprocess.run([tmp_path / "open", name], capture_output=True, text=True)
        assert done.returncode == 0, done
        return done.stdout.strip()

    state = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    file = tmp_path / "w.safetensors"

    def with_state(**changed):
        new = {n.replace("/", "."): a for n, a in changed.items()}
        safetensors.numpy.save_file(
            {n: a for n, a in (state | new).items() if a is not None}, file
        )
        return said(file)

    assert said(tmp_path / "net" / "weights.safetensors") == "open"
    assert with_state() == "open"
    assert said(tmp_path / "nothing") == "No such file or directory"
    assert said(tmp_path) == "it is not a safetensors file"
    assert with_state(**{"fc.bias": None}) == "`fc.bias` is not in it"
    assert with_state(**{"fc.weight": np.zeros((4, 5), np.float32)}) == (
        "`fc.weight` is F32[4,5], not F32[5,4]"
    )
    assert with_state(**{"fc.bias": np.zeros(5)}) == "`fc.bias` is F64[5], not F32[5]"
    with_state()
    right = file.read_bytes()
    length = int.from_bytes(right[:8], "little")
    for end in (0, 7, 8, 8 + length // 2, 8 + length, len(right) - 1):
        file.write_bytes(right[:end])
        assert said(file) != "open"
    draw = random.Random(4)
    for _ in range(60):
        wrong = bytearray(right)
        wrong[draw.randrange(8 + length)] ^= 1 << draw.randrange(8)
        file.write_bytes(wrong)
        assert said(file)


# ---- inputs


@pytest.mark.parametrize("host", HOSTS)
def test_inputs_of_any_memory(saved, host):
    loaded = dycl.load(saved, host=host)
    x = np.linspace(-1, 1, 4, dtype=np.float32).reshape(1, 4)
    want = loaded(x)["y"]
    raw = np.empty(17, np.uint8)[1:].view(np.float32).reshape(1, 4)
    raw[...] = x
    frozen = x.copy()
    frozen.flags.writeable = False
    wide = np.zeros((1, 8), np.float32)[:, ::2]
    wide[...] = x
    for given in (raw, frozen, wide, np.asfortranarray(x), x.astype(">f4")):
        before = given.tobytes()
        assert np.array_equal(loaded(given)["y"], want)
        assert given.tobytes() == before


@pytest.mark.parametrize("host", HOSTS)
def test_inputs_that_do_not_fit(saved, host, monkeypatch):
    loaded = dycl.load(saved, host=host)
    before = loaded.path
    x = np.ones((1, 4), np.float32)
    said = {
        "has shape [2, 4]; the network was compiled for float32[1, 4]": [
            np.ones((2, 4), np.float32)
        ],
        "has shape [4]; the": [x[0]],
        "has dtype float64; the network was compiled for float32[1, 4]": [
            x.astype(np.float64)
        ],
        "has dtype int64": [x.astype(np.int64)],
        "is None, not a tensor": [None],
        "is of type list, not a tensor": [[[1.0] * 4]],
        "takes 1 input (x), but 2 were given": [x, x],
        "takes 1 input (x), but 0 were given": [],
    }
    for text, arguments in said.items():
        with pytest.raises(InputError) as caught:
            loaded(*arguments)
        assert text in str(caught.value)
        assert str(caught.value).endswith("(DY601)")
        assert loaded.path == before
    with pytest.raises(InputError, match="has no input `y`"):
        loaded(x, y=x)
