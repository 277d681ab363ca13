"""Saved profiles: what Perfetto shows, what JSON has, and DYCL_PROFILE."""

import json
import os
import subprocess
import sys
import threading
from collections import Counter

import numpy as np

import dycl


def test_slices_lie_in_each_other_and_match_the_counts(gate, exits, tmp_path):
    """A call, in it its run, in that its kernels, one after the other."""
    path = tmp_path / "trace.json"
    with dycl.profile(gate) as p:
        for x in exits.values():
            gate(x)
        thread = threading.Thread(target=lambda: gate(exits[(True,)]), name="other")
        thread.start()
        thread.join()
    p.save(path)
    content = json.loads(path.read_text())
    assert content["profile"] == json.loads(json.dumps(p.data()))
    events = content["traceEvents"]
    assert {e["args"]["name"] for e in events if e["ph"] == "M"} >= {"other"}
    kinds = Counter(e.get("cat") for e in events)
    launched = sum(entry["count"] for entry in p.data()["launches"])
    made = sum(len(entry["path"]) * entry["count"] for entry in p.data()["paths"])
    assert kinds == {
        **{None: 2, "call": 4, "host": 4},
        **{"kernel": launched, "decision": made},
    }
    check_nesting([e for e in events if e["ph"] == "X"])
    marks = [e["name"] for e in events if e["ph"] == "i"]
    assert Counter(marks)["x.sum() > 10 is True"] == 2


def check_nesting(slices):
    """Slices of one thread hold each other, or follow each other."""
    slack = 1e-3  # microseconds
    for thread in {e["tid"] for e in slices}:
        ends = []
        own = [e for e in slices if e["tid"] == thread]
        for event in sorted(own, key=lambda e: (e["ts"], -e["dur"])):
            while ends and ends[-1] <= event["ts"] + slack:
                ends.pop()
            end = event["ts"] + event["dur"]
            assert event["dur"] >= 0
            assert not ends or end <= ends[-1] + slack
            ends.append(end)


def test_without_a_trace_there_are_numbers_alone(gate, exits, tmp_path):
    with dycl.profile(gate) as p:
        gate(exits[(True,)])
    p.save(tmp_path / "p.json", trace=False)
    content = json.loads((tmp_path / "p.json").read_text())
    assert content == {"profile": json.loads(json.dumps(p.data()))}


RUN = """
import sys
for name in ("torch", "xdsl", "torch_mlir"):
    sys.modules[name] = None
import numpy as np
import dycl
nets = [dycl.load(sys.argv[1], host=host) for host in sys.argv[2:]]
for net in nets:
    for value in (0, 4, 4):
        net(np.full((1, 4), value, np.float32))
"""


def run_with(value, folder, file, *hosts):
    """Load the file without torch and run it; what is said on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(file), *hosts],
        env={**os.environ, "DYCL_PROFILE": value, "PATH": ""},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


def test_the_environment_asks_for_tables(gates, tmp_path):
    """Without torch and without a compiler; a network that never ran is not shown."""
    gates["compiled"].save(tmp_path / "net.dycl")
    said = run_with("1", tmp_path, "net.dycl", "native", "python")
    assert said.count("3 calls") == 2
    assert "x.sum() > 10" in said
    assert "network 2" in said
    assert run_with("0", tmp_path, "net.dycl", "native") == ""


def test_the_environment_names_a_file(gates, tmp_path):
    """A second network has a second one."""
    gates["compiled"].save(tmp_path / "net.dycl")
    said = run_with("p.json", tmp_path, "net.dycl", "native", "python")
    assert said == ""
    for name, host in (("p.json", "native"), ("p-2.json", "python")):
        profile = json.loads((tmp_path / name).read_text())["profile"]
        assert (profile["host"], profile["calls"]["count"]) == (host, 3)
    said = run_with("missing/p.json", tmp_path, "net.dycl", "native")
    assert "missing/p.json" in said


def test_the_table_names_lines_and_shares(gate, exits):
    with dycl.profile(gate) as p:
        for x in (*exits.values(), np.full((1, 4), 5, np.float32)):
            gate(x)
    text = str(p)
    assert text.startswith("4 calls, ")
    with dycl.profile(gate) as one:
        gate(exits[next(iter(exits))])
    assert str(one).startswith("1 call, ")
    assert f"{gate.host} host" in text
    [exit_line] = [line for line in text.splitlines() if "x.sum() > 10" in line]
    assert "50%" in exit_line
    assert "conftest.py:" in exit_line
    assert any(line.startswith("exit 1 True ") for line in text.splitlines())
