"""What paths cost on an H100, on paper: kernels, bytes, FLOPs, nodes, microseconds.

No GPU is needed. Which kernels a path launches, and with what sizes, is seen on the
processor; one takes as long as its bytes, its FLOPs or its start, whichever is longest.
Of a network that is one graph, the tree is walked along the path; any other one is
launched by the host. Beside it stands the same for a captured graph of the path alone:
its kernels, and no decision. Figures are measured ones where it says so, of one H100
(driver 580).
"""

from collections import Counter
from pathlib import Path

import dycl
from bench.cuda_launches import launches_of
from bench.cuda_walk import START, NotOnPaper, walk
from bench.subjects import Recipe, case_of, made_by, recipes
from dycl.ir import graph
from dycl.ir.host.segments import SEGMENT, number_in
from dycl.runtime.decisions import sides_of
from dycl.tools.cli_show import parse_module

BANDWIDTH = 3.35e6
"""Bytes in a microsecond, nominal."""
PEAK = 165e6
"""FLOPs in a microsecond: nominal tf32, three products for one of f32."""
LAUNCH = 8.5
"""Launching a graph and waiting for it, measured."""
COPY = 4.5
"""Queueing a copy of an input or of the results, as a launch by ctypes."""
BY_HOST, DECISION = 5.0, 19.0
"""A launch by the host, and a decision: launch, copy of a byte, wait; measured."""
BOUNDS = ("bandwidth", "compute", "starts")
NODES = ("kernels", "skipped", "threads", "copies")
CONDITIONAL = ("ifs", "switches", "rounds")

PAGE = Path(__file__).resolve().parent.parent / "docs" / "speed" / "cuda-paper.md"
COLUMNS = (
    *("network", "path", "run as", "decisions", "kernels", "launches", "MB", "MFLOP"),
    *("nodes", "conditional", *(f"{bound}, us" for bound in BOUNDS)),
    *("in all, us", "the path alone, us"),
)
HEAD = f"| {' | '.join(COLUMNS)} |\n" + "| --- " * 3 + "| ---: " * 12 + "|"
_TWINS = ("shallow_deep", "captioning", "skipnet", "blockdrop")
"""What the names of examples begin with whose networks are subjects, at their size."""


def paper(names, page=None):
    """Print a row for each path of networks, by their recipes or examples; without
    names, of all that decide something. With a page, write them there as well. The
    exit status."""
    print(__doc__.split("\n")[0], HEAD, sep="\n\n", flush=True)
    for name in names or all_names():
        rows = rows_of(recipe_of(name))
        print(*rows, sep="\n", flush=True)
        if page is not None:
            text = page.read_text(encoding="utf-8")
            page.write_text(with_rows(text, rows), encoding="utf-8")
    return 0


def all_names():
    """Recipes of all subjects that decide something, and other examples."""
    from bench.cuda import examples

    known = [name for name, recipe in recipes().items() if not recipe.plain]
    others = [name for name in examples() if not name.startswith(_TWINS)]
    return list(dict.fromkeys([*known, *others]))


def recipe_of(name):
    """The recipe of that name, or of an example."""
    return recipes().get(name) or Recipe(name, "more", case_of(f"examples.{name}"))


def title_of(row):
    """The network of a row of the page."""
    return row.split(" | ")[0].removeprefix("| ")


def with_rows(page, rows):
    """A page on which the rows of a network are these; networks are in order."""
    text, _, table = page.partition(HEAD + "\n")
    title = title_of(rows[0])
    kept = [row for row in table.splitlines() if row and title_of(row) != title]
    order = {recipe_of(name).title: place for place, name in enumerate(all_names())}
    kept = [row for row in [*kept, *rows] if title_of(row) in order]
    kept.sort(key=lambda row: order[title_of(row)])
    return "\n".join([text + HEAD, *kept, ""])


def rows_of(recipe):
    """Rows of a network, one for each path that is shown, or why there are none."""
    subject = made_by(recipe)
    try:
        net = dycl.compile(subject.model, subject.inputs[0], backend="cuda")
        ours = dycl.compile(subject.model, subject.inputs[0], backend="reference")
    except dycl.CompileError as error:
        said = str(error).splitlines()[0]
        return [_row(recipe.title, "", f"left out: {said}")]
    rows, paper_of = [], Paper(net)
    for label, given in zip(subject.labels, subject.inputs, strict=True):
        launches = launches_of(ours, given)
        path = sides_of(ours.network.taken())
        try:
            cells = paper_of.cells(path, launches)
        except NotOnPaper as why:
            cells = [f"left out: {why}"]
        rows.append(_row(recipe.title, label, *cells))
    return rows


def _row(*cells):
    return f"| {' | '.join(cells)}{' |' * (1 + len(COLUMNS) - len(cells))}"


class Paper:
    """What paths of one network cost."""

    def __init__(self, net):
        self.tree = whole_tree(net)
        self.functions = {p.name: len(p.functions) for p in net.library.programs}
        self.copies = COPY * (len(net.inputs) + 1)

    def cells(self, path, launches):
        """Columns of one path with these launches: kernels, each with its work.
        NotOnPaper."""
        work = [work for _, work in launches]
        counts = Counter(launches)
        bounds = self._bounds(counts)
        kernels, around = sum(bounds.values()), LAUNCH + self.copies
        if self.tree is None:
            nodes, asked, count = "-", "-", len(launches)
            whole = self._by_host(counts) + DECISION * len(path) + self.copies
        else:
            walked, count = walk(self.tree, self.functions, path), 1
            nodes = sum(walked.nodes[kind] for kind in NODES)
            asked = sum(walked.nodes[kind] for kind in CONDITIONAL)
            whole = kernels + walked.extra + around
        return [
            *("host" if self.tree is None else "graph", f"{len(path)}"),
            f"{sum(self.functions[name] for name, _ in launches)}",
            *(f"{count}", f"{sum(one.bytes for one in work) / 1e6:.2f}"),
            *(f"{sum(one.flops for one in work) / 1e6:.1f}", f"{nodes}", f"{asked}"),
            *(f"{bounds[kind]:.0f}" for kind in BOUNDS),
            *(f"{whole:.0f}", f"{kernels + around:.0f}"),
        ]

    def _bounds(self, counts):
        """Microseconds of all kernels, by what they are bound by."""
        found = dict.fromkeys(BOUNDS, 0.0)
        for launch, count in counts.items():
            bound, time = self._bound(*launch)
            found[bound] += time * count
        return found

    def _bound(self, name, work):
        """What one launch of a kernel is bound by, and for how long."""
        times = (
            work.bytes / BANDWIDTH,
            work.flops / PEAK,
            START * self.functions[name],
        )
        return max(zip(BOUNDS, times, strict=True), key=lambda pair: pair[1])

    def _by_host(self, counts):
        """Microseconds of all kernels, each launched by the host."""
        return sum(
            max(BY_HOST, self._bound(*launch)[1]) * count
            for launch, count in counts.items()
        )


def whole_tree(net):
    """The module with the graph of a network, if it is a single one."""
    if "graph" not in net.kernel_stages:
        return None
    module = parse_module(net.kernel_stages["graph"], "graph")
    [first, *_] = (op for op in module.ops if isinstance(op, graph.FuncOp))
    return module if number_in(first, SEGMENT) is None else None
