"""`_repr_html_`: well-formed, escaped, and with what `str` says."""

import base64
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
import torch
from torch import nn

import dycl

VOID = {"img", "br"}


class Net(nn.Module):
    """An exit whose test has what HTML would read as a tag."""

    def forward(self, x, n: int):
        if x.sum() > n and x.max() < 99:
            return x + 1
        return x - 1


class Refused(nn.Module):
    def forward(self, x):
        y = unknown < x  # noqa: F821
        return y.no_such_method()


class Reader(HTMLParser):
    """Text, tags and images; an AssertionError where tags do not close."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.images = [], "", []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        if tag == "img":
            self.images.append(dict(attrs)["src"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(thing):
    reader = Reader()
    reader.feed(thing._repr_html_())
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def net():
    return dycl.compile(Net().eval(), (torch.ones(3), 1))


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_network_has_its_picture(net, tmp_path, is_loaded):
    shown = net
    if is_loaded:
        net.save(tmp_path / "net.dycl")
        shown = dycl.load(tmp_path / "net.dycl")
    found = read(shown)
    assert repr(shown) in found.text
    assert "x: float32[3]" in found.text
    assert "x.sum() > n" in found.text
    [image] = found.images
    head, _, data = image.partition(",")
    assert head == "data:image/svg+xml;base64"
    svg = base64.b64decode(data)
    assert b"x.sum() &gt; n" in svg
    assert ET.fromstring(svg).tag.endswith("svg")


def test_a_compile_error_marks_the_carets():
    with pytest.raises(dycl.CompileError) as caught:
        dycl.compile(Refused().eval(), (torch.ones(3),))
    error = caught.value
    found = read(error)
    for one in error.errors:
        assert f"error[{one.code}]: {one.what}" in found.text
        for line in one.details():
            assert line in found.text
    assert "y = unknown < x" in found.text
    assert re.search(r"<b style='color:#d1242f'>\^+</b>", error._repr_html_())
    assert error._render_traceback_() == [str(error)]
    single = error.errors[0]
    assert f"error[{single.code}]: {single.what}" in read(single).text


def test_an_explanation_is_a_table_and_its_refusals(net):
    found = dycl.explain(Net().eval(), (torch.ones(3), 1))
    text = read(found).text
    assert "Net compiles: " in text
    assert "x.sum() > n" in text
    assert "decided at run time" in text
    refused = dycl.explain(Refused().eval(), (torch.ones(3),))
    text = read(refused).text
    assert "Refused does not compile" in text
    assert "error[DY113]" in text
