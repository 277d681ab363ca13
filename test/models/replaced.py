"""The model tests with other backends: `pytest test/models --backend onnxruntime`.

What computes kernels unless a test says so is another one then, in every test. Each
network has a twin of our own code: the paths of both have to be equal, and the tests
compare values with eager as they do for ours. What the backend takes it has to run,
and of what it leaves to our code there has to be a remark.

    --backend A,B,C   each file of tests has one of them, by its name
    --one-in 20       a part of the tests, by their names: the same in each run
"""

import dataclasses
import hashlib
import re
import sys
from pathlib import Path

import pytest
import variants

from dycl.analysis.control.computation import is_reshape
from dycl.diag import SourceLoc, collect_notes, collect_remarks, pass_on
from dycl.driver import models
from dycl.driver.compilation import see_nothing
from dycl.driver.placement import measured
from dycl.ir.claims import kernels_of
from dycl.ir.functions import BACKEND, OURS
from dycl.ir.walking import walk
from dycl.options import AUTO, CompileOptions
from dycl.passes.annotate_backends import AnnotateBackendsPass
from dycl.runtime.engines import EngineKernel

ENGINES = ("onnxruntime", "openvino", "iree")
FIELDS = [field.name for field in dataclasses.fields(CompileOptions)]


def pytest_addoption(parser):
    parser.addoption("--backend", default="", help="what computes kernels, A or A,B,C")
    parser.addoption("--one-in", type=int, default=1, help="a part of the tests")


def pytest_collection_modifyitems(config, items):
    """Leave out all but a part."""
    part = config.getoption("--one-in")
    is_asked = config.getoption("--backend") or variants.asked(config)[0]
    if not is_asked or part == 1:
        return
    left_out = [
        item
        for item in items
        if item.get_closest_marker("slow") or number_of(item.nodeid) % part
    ]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def number_of(text):
    """The same for a text in every process."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def backend_for(config, path):
    """The backend of the tests of a file, or ""."""
    names = config.getoption("--backend").split(",")
    return names[number_of(path.name) % len(names)]


@pytest.fixture(scope="module", autouse=True)
def replaced_backend(request):
    """Networks and paths -> their twins of our own code; None: the backend is ours."""
    name = backend_for(request.config, request.path)
    if not name:
        yield None
        return
    with pytest.MonkeyPatch.context() as patch:
        init = CompileOptions.__init__
        defaults = list(init.__defaults__)
        defaults[FIELDS.index("backend")] = name
        patch.setattr(init, "__defaults__", tuple(defaults))
        if "cuda" in name:
            pretend_a_gpu(request, patch)
        if name == AUTO:
            patch.setattr(measured, "fastest", by_turns)
            patch.setattr(measured, "default_store", lambda *_: None)
        patch.setattr(
            AnnotateBackendsPass, "apply", with_remarks(AnnotateBackendsPass.apply)
        )
        twins = {}
        compiling = with_twin(models.compile_watched, name, twins)
        patch.setattr(models, "compile_watched", compiling)
        yield twins


def pretend_a_gpu(request, patch):
    """The tests' driver of CUDA: the PTX machine runs the kernels."""
    patch.setattr(
        sys, "path", [*sys.path, str(Path(__file__).parents[1] / "unit/cuda")]
    )
    from fake_driver import FakeDriver, build

    from dycl.runtime.cuda import driver

    library = build(request.getfixturevalue("tmp_path_factory").mktemp("driver"))
    patch.setattr(driver, "LIBRARY", str(library))
    driver.device.cache_clear()
    request.addfinalizer(driver.device.cache_clear)
    request.node.gpu = FakeDriver(library, 1 << 28)  # some networks are large


def by_turns(runs, one_thread):
    """Made-up seconds of launches: each backend is the fastest for some kernels."""
    by_turns.number += 1
    names = list(runs)
    chosen = names[by_turns.number % len(names)]
    return {name: 1e-3 if name == chosen else 1e-2 for name in names}


by_turns.number = 0


def with_remarks(apply):
    """The pass; of each op that is left to our code there is a remark at its line."""

    def checked(self, ctx, module):
        with collect_remarks() as remarks:
            apply(self, ctx, module)
        pass_on(remarks)
        said = {str(r.at) for r in remarks if r.what.startswith("not for ")}
        for kernel in kernels_of(module):
            for op in walk(kernel):
                own = op.attributes.get(BACKEND)
                if own is not None and own.data == OURS and not is_reshape(op):
                    assert str(SourceLoc.of(op)) in said, f"no remark for {op.name}"

    return checked


def with_twin(compiling, name, twins):
    """`compile_watched`, which compiles what gets the backend `name` by ours, too."""

    def compiled(model, inputs, watch, options=None, listener=None, **given):
        by_turns.number = 0  # So it does not matter which tests ran before.
        net = compiling(model, inputs, watch, options, listener, **given)
        chosen = given.get("backend", getattr(options, "backend", None))
        if chosen not in (None, name):
            return net
        assert_run_as_said(net)
        given |= {"backend": OURS, "keep": None}
        with collect_remarks(), collect_notes():
            twin = compiling(model, inputs, see_nothing, options, **given)
        twins[id(net)] = net, twin
        return net

    return compiled


def assert_run_as_said(net):
    """An engine has each kernel that is its own by the IR, and no other one."""
    text = net.stages["hcfg"]
    said = dict(re.findall(rf'func\.func @(\w+)\(.*{BACKEND} = "(\w+)"', text))
    for spec in net.library.specs:
        kernel = net.library[spec.name]
        is_engine = isinstance(kernel, EngineKernel)
        found = kernel.library.engine.name if is_engine else None
        if spec.name in said:
            assert found == (said[spec.name] if said[spec.name] in ENGINES else None)
