"""The report: repetitions are folded, steps add up, and a browser shows it by clicks.

The browser is Debian's Chromium without a window; it needs no network, and the page
forbids it. A script that is added to a copy of the page clicks and types, and says what
it finds.
"""

import dataclasses
import html
import json
import re
import shutil
import subprocess

import hcfg_samples as samples
import pytest
from test_measured import profile_of

from dycl.report import NodeKind, measure
from dycl.report.collapse import collapse
from dycl.report.page import to_page
from dycl.report.steps import kernels_of, steps_of
from dycl.tools.cli_show import without_locations

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def labels(graph):
    return [node.label for node in graph.nodes]


def alike(count):
    """A stem and blocks that may be skipped, all of one kernel and one line."""
    graph = samples.graph_of(samples.skips(count))
    nodes = [
        dataclasses.replace(
            node,
            location="net.py:3",
            label=re.sub(r"(?<=policy\[)\d+", "i", _one(node.label)),
            name=_one(node.name) if node.kind is NodeKind.KERNEL else node.name,
        )
        for node in graph.nodes
    ]
    return dataclasses.replace(graph, nodes=tuple(nodes))


def _one(kernel):
    return re.sub(r"block\d+_then", "block", kernel)


def test_of_many_blocks_alike_the_first_is_shown():
    folded = collapse(alike(54))
    assert labels(folded.graph) == [
        *("forward(x, p)", "stem", "policy[i] > 0.5", "block"),
        *("53 more like these", "exit 1"),
    ]
    assert [n.row for n in folded.graph.nodes] == [0, 1, 2, 2, 3, 4]
    edges = {(e.source, e.target, e.label) for e in folded.graph.edges}
    assert edges == {
        *((0, 1, ""), (1, 2, ""), (2, 3, "yes"), (2, 4, "no"), (3, 4, ""), (4, 5, "")),
    }
    assert folded.nodes == [0, 1, 2, 3, None, len(alike(54).nodes) - 1]


@pytest.mark.parametrize("text", [samples.skips(2), samples.NESTED, samples.LOOP])
def test_what_does_not_repeat_stays(text):
    graph = samples.graph_of(text)
    folded = collapse(graph)
    assert folded.graph == graph
    assert folded.nodes == list(range(len(graph.nodes)))


def test_a_folded_box_has_the_launches_of_all_that_it_stands_for():
    graph = alike(4)
    launched = [(100, 50.0), (37, 370.0), (10, 30.0), (0, 0.0), (20, 50.0)]
    decided = [(37, 63), (10, 90), (0, 100), (20, 80)]
    whole = measure(graph, profile_of(graph, launched, decided, 100))
    folded = collapse(graph)
    small = folded.measured(whole)
    [box] = [node for node in folded.graph.nodes if node.label == "3 more like these"]
    assert small.caption(box) == "30 x 2.67 us, 16%"
    assert small.kernel_us == whole.kernel_us == 500


def test_two_blocks_are_not_folded_and_three_are():
    assert collapse(alike(2)).graph == alike(2)
    assert "2 more like these" in labels(collapse(alike(3)).graph)


LEVEL = """module {
  %a = f(%b) {test = "loc(3)"} : (i1) -> i1 loc("dir/net.py":3:4)
  %c = f(%a) : i1 loc(callsite("dir/net.py":5:1 at "dir/net.py":9:9))
}
"""


@pytest.fixture
def steps(tmp_path):
    """What `--keep` writes: two levels, and a pass between them."""
    (tmp_path / "10-source.mlir").write_text(LEVEL)
    changed = LEVEL.replace("f(%a)", "g(%a)")
    (tmp_path / "11-001-dycl-inline-calls.mlir").write_text(changed)
    (tmp_path / "20-normal.mlir").write_text(changed)
    (tmp_path / "40-hcfg.svg").write_text("<svg/>")
    return steps_of(tmp_path, without_locations)


def test_steps_are_edits_and_levels_know_the_lines(steps):
    found, files = steps
    assert files == {"dir/net.py"}
    assert [s["name"] for s in found] == ["source", "dycl-inline-calls", "normal"]
    assert [s["level"] for s in found] == ["source", "normal", "normal"]
    assert found[1]["edits"] == [[2, 1, ["  %c = g(%a) : i1"]]]
    assert found[2]["edits"] == []
    assert found[0]["places"] == ["", "net.py:3", "net.py:5", ""]
    lines = []
    for step in found:
        for first, gone, came in reversed(step["edits"]):
            lines[first : first + gone] = came
    assert lines[1] == '  %a = f(%b) {test = "loc(3)"} : (i1) -> i1'


def test_kernels_are_found_by_name_at_each_stage():
    text = "module {\n  func.func @a() {\n    x\n  }\n  func.func @b() {\n  }\n}\n"
    found = kernels_of({"torch": text, "llvm": "llvm.func @a(%x: i1) {\n  y\n}\n"})
    assert found["a"]["torch"] == "  func.func @a() {\n    x\n  }"
    assert found["a"]["llvm"] == "llvm.func @a(%x: i1) {\n  y\n}"
    assert set(found) == {"a", "b"}


@pytest.fixture
def page(steps, tmp_path):
    """A page of ten blocks alike, with a profile, and text that HTML must not read."""
    graph = alike(10)
    kernels = sum(n.kind is NodeKind.KERNEL for n in graph.nodes)
    launched = [(4, 40.0)] * kernels
    profile = {
        **profile_of(graph, launched, [(1, 3)] * 10, 4),
        "kernels": [{"kernel": "block", "places": ["net.py:3"], "count": 40}],
        "share": {"kernels": 0.9, "host": 0.1},
        "paths": [{"path": [[0, True]] * 100, "count": 4, "mean_us": 2.0}],
    }
    profile["kernels"][0] |= {"total_us": 400.0, "mean_us": 10.0}
    content = {
        "steps": steps[0],
        "kernels": {"block": {"torch": "func.func @block() {\n}"}},
        "sources": {"net.py": ["# </script><b>bold</b>", "", "if p > 0.5:"]},
        "host": {"host.py": "def forward(x): ..."},
        "profile": profile,
    }
    return to_page(graph, measure(graph, profile), content)


def test_the_page_asks_for_nothing(page):
    """No address but names of XML's spaces; and browsers are told to load nothing."""
    addresses = set(re.findall(r"https?://[^\"' <]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page
    assert not re.search(r"<(?:link|img|iframe)|\bsrc=|@import|url\((?!#)", page)
    data = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data[1])["sources"]["net.py"][0] == "# </script><b>bold</b>"


def test_a_dark_page_is_printed_on_white_paper(page):
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    on_paper, dark = re.subn(r"@media screen \{.*?\n\}", "", style, flags=re.DOTALL)
    assert dark == 1
    assert '"dark"' in style
    assert '"dark"' not in on_paper


CLICKS = """
(async () => {
const say = {};
const click = (e) => e.dispatchEvent(new MouseEvent("click", {bubbles: true}));
const text = (id) => document.getElementById(id).textContent;
const seen = (id) => document.getElementById(id).getClientRects().length > 0;
const tab = (name) => click(document.querySelector(`.tabs [data-view="${name}"]`));
const node = (label) => [...document.querySelectorAll("#folded g[data-node]")]
  .find((g) => g.querySelector("text").textContent === label);
const wait = () => new Promise((done) => setTimeout(done, 20));
const marked = () => document.querySelector("#details pre .on")?.textContent.trim();
try {
  say.errors = errors;
  say.summary = text("summary");
  say.on = document.querySelectorAll("nav .on").length;
  say.overview = text("details");
  const details = document.getElementById("details");
  say.widths = [details.scrollWidth, details.clientWidth];
  say.folded = [seen("folded"), seen("whole")];
  click(node("policy[i] > 0.5")); await wait();
  say.decision = text("details");
  tab("Profile"); say.sides = text("details");
  click(node("block")); await wait();
  tab("Kernel: torch"); say.kernel = text("details");
  click(document.querySelector('[data-step="1"]')); await wait();
  const cells = [...document.querySelectorAll("#diff td")];
  say.diff = cells.map((cell) => [cell.className, cell.textContent]);
  say.hidden = !seen("picture");
  click(document.querySelector('[data-host="host.py"]')); await wait();
  say.host = text("diff");
  history.back(); await wait(); await wait();
  say.back = location.hash;
  location.hash = ""; await wait();
  click(node("9 more like these")); await wait();
  say.unfolded = [seen("folded"), seen("whole")];
  const search = document.getElementById("search");
  search.value = "P > 0.5"; search.dispatchEvent(new Event("input")); await wait();
  say.found = text("results");
  click(document.querySelector("#results .found:last-child")); await wait();
  say.line = marked();
  const theme = () => getComputedStyle(document.body).backgroundColor;
  const before = theme();
  click(document.getElementById("theme")); await wait();
  say.themes = [before, theme()];
} catch (error) { say.errors.push(String(error.stack)); }
  document.body.replaceChildren(Object.assign(document.createElement("pre"),
    {id: "said", textContent: JSON.stringify(say)}));
})();
"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
def test_a_browser_shows_all_of_it_by_clicks(page, tmp_path):
    head = "<script>const errors = []; onerror = (m) => errors.push(m)</script>"
    probe = page.replace("<title>", f"{head}<title>", 1)
    probe = probe.replace("</body>", f"<script>{CLICKS}</script></body>")
    file = tmp_path / "probe.html"
    file.write_text(probe)
    done = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu"),
            *("--window-size=1300,900", f"--user-data-dir={tmp_path / 'profile'}"),
            *("--virtual-time-budget=5000", "--dump-dom", f"file://{file}"),
        ],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    said = re.search(r'<pre id="said">(.*?)</pre>', done.stdout, re.DOTALL)
    assert said is not None, done.stdout[-500:]
    say = json.loads(html.unescape(said[1]))
    assert say["errors"] == []
    assert "10 decisions" in say["summary"]
    assert "4 calls" in say["summary"]
    assert say["on"] == 0
    assert "10.0 us" in say["overview"]
    assert say["widths"][0] <= say["widths"][1], "a path of 100 decisions is cut off"
    assert say["folded"] == [True, False]
    assert say["decision"].startswith("decisionpolicy[i] > 0.5")
    assert re.search(r"true1.*false3", say["sides"])
    assert "func.func @block()" in say["kernel"]
    assert ["gone", "  %c = f(%a) : i1"] in say["diff"]
    assert ["came", "  %c = g(%a) : i1"] in say["diff"]
    assert say["hidden"]
    assert "def forward(x)" in say["host"]
    assert say["back"] == "#step=1"
    assert say["unfolded"] == [False, True]
    assert "net.py:3" in say["found"]
    assert say["line"] == "3  if p > 0.5:"
    assert len(set(say["themes"])) == 2
