"""The SVG picture: well-formed, readable, and no line crosses a box."""

import re
import xml.etree.ElementTree as ET

import hcfg_samples as samples
import pytest

from dycl.report import to_svg

SVG = "{http://www.w3.org/2000/svg}"
BODIES = {
    "skips": samples.skips(5),
    "exits": samples.exits(5),
    "nested": samples.NESTED,
    "scope": samples.SCOPE,
    "loop": samples.LOOP,
    "long then": samples.LONG_THEN,
}


def boxes(root):
    """(left, top, right, bottom) of every node."""
    for group in root.iter(f"{SVG}g"):
        shape = group[1]
        if shape.tag == f"{SVG}rect":
            x, y, w, h = (int(shape.get(k)) for k in ("x", "y", "width", "height"))
            yield x, y, x + w, y + h
        else:
            points = [
                tuple(map(int, p.split(","))) for p in shape.get("points").split()
            ]
            xs, ys = zip(*points, strict=True)
            yield min(xs), min(ys), max(xs), max(ys)


def segments(root):
    """(x1, y1, x2, y2) of every straight piece of every line."""
    for path in root.findall(f"{SVG}path"):
        x = y = 0
        for letter, first, second in re.findall(
            r"([MHV])(\d+)(?: (\d+))?", path.get("d")
        ):
            old = x, y
            if letter == "M":
                x, y = int(first), int(second)
                continue
            x, y = (int(first), y) if letter == "H" else (x, int(first))
            yield min(old[0], x), min(old[1], y), max(old[0], x), max(old[1], y)


@pytest.fixture(params=BODIES)
def root(request):
    return ET.fromstring(to_svg(samples.graph_of(BODIES[request.param])))


def test_no_line_crosses_a_box(root):
    crossed = [
        (line, box)
        for line in segments(root)
        for box in boxes(root)
        if line[0] < box[2]
        and line[2] > box[0]
        and line[1] < box[3]
        and line[3] > box[1]
    ]
    assert list(segments(root))
    assert crossed == []


def test_no_two_boxes_overlap(root):
    found = list(boxes(root))
    overlapping = [
        (a, b)
        for i, a in enumerate(found)
        for b in found[:i]
        if a[0] < b[2] and a[2] > b[0] and a[1] < b[3] and a[3] > b[1]
    ]
    assert len(found) > 3
    assert overlapping == []


def test_everything_is_inside_the_picture(root):
    width, height = int(root.get("width")), int(root.get("height"))
    for left, top, right, bottom in [*boxes(root), *segments(root)]:
        assert 0 <= left <= right <= width
        assert 0 <= top <= bottom <= height


def test_54_decisions_make_a_tall_narrow_picture():
    root = ET.fromstring(to_svg(samples.graph_of(samples.skips(54))))
    assert int(root.get("width")) < 600
    assert int(root.get("height")) < 54 * 80
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert [w for w in words if w.startswith("policy")] == [
        f"policy[{i}] > 0.5" for i in range(54)
    ]


def test_long_tests_are_cut_in_the_box_and_whole_in_the_tooltip():
    long = "torch.softmax(self.classifier(x), dim=1).max() > self.threshold"
    body = samples.exits(1).replace("p.max() > self.threshold", long)
    root = ET.fromstring(to_svg(samples.graph_of(body)))
    shown = [text.text for text in root.iter(f"{SVG}text")]
    assert long[:43] + "…" in shown
    assert any(t.text.startswith(long) for t in root.iter(f"{SVG}title"))


def test_the_same_program_gives_the_same_bytes():
    first, second = (to_svg(samples.graph_of(samples.NESTED)) for _ in range(2))
    assert first == second
