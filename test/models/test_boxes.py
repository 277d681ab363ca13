"""What detection needs: boxes that stay, their features, counts that may be none."""

import pytest
import torch

import dycl
from dycl.runtime import InputError
from tools.corpus.libraries.native_ops import declare_operators

N = dycl.Dim("n", max=64)
NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module", autouse=True)
def operators():
    """Those of torchvision, of which the tests' environment has no native code."""
    if declare_operators():
        torch.library.register_fake("torchvision::nms", any_stay)


def any_stay(boxes, scores, threshold):
    return boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.long)


def drawn(count, dtype, seed, rounded):
    """Boxes, often upside down, and scores that differ."""
    generator = torch.Generator().manual_seed(seed)
    boxes = torch.rand(count, 4, generator=generator, dtype=dtype) * 8
    scores = torch.randperm(count, generator=generator).to(dtype)
    return (boxes.round() if rounded else boxes), scores


def kept(boxes, scores):
    stay = torch.ops.torchvision.nms(boxes, scores, 1 / 3)
    if stay.shape[0] > 6:
        return stay[:6], boxes[stay[:6]]
    return stay, boxes[stay]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_boxes_that_overlap_a_better_one_go(dtype):
    """Ratios on the threshold, boxes of no area, NaN, equal scores, no boxes at all."""
    shapes = {"boxes": {0: N}, "scores": {0: N}}
    net = dycl.compile(kept, drawn(9, dtype, 0, False), dynamic_shapes=shapes)
    given = [drawn(n, dtype, n, n % 2) for n in (0, 1, 2, 7, 8, 40, 41, 64)]
    # Two squares of 2 by 2, one moved by 1: a third of both is shared.
    pair = torch.tensor([[0, 0, 2, 2], [1, 0, 3, 2], [0, 0, 0, 0]], dtype=dtype)
    given += [(pair, torch.tensor(s, dtype=dtype)) for s in ([1, 2, 3], [1, 1, 1])]
    given.append((pair * NAN, torch.tensor([1, NAN, 2], dtype=dtype)))
    given.append((pair / 0, torch.tensor([1, -INF, INF], dtype=dtype)))
    lengths = set()
    for boxes, scores in given:
        wanted = kept(boxes, scores)
        for ours, eager in zip(net(boxes, scores), wanted, strict=True):
            assert torch.equal(ours.nan_to_num(-1), eager.nan_to_num(-1))
        lengths.add(net.path[-1].taken)
    assert len(lengths) == 2


def test_boxes_and_scores_of_two_dtypes_are_refused():
    boxes, scores = drawn(9, torch.float32, 0, False)
    with pytest.raises(dycl.CompileErrors, match="for both operands"):
        dycl.compile(kept, (boxes, scores.double()))


@pytest.mark.parametrize(
    ("dtype", "options"),
    [
        (torch.float32, (0.5, 2, 3, 2, False)),
        (torch.float32, (1.0, 3, 2, -1, False)),
        (torch.float64, (0.3, 2, 2, 0, True)),
    ],
)
def test_features_of_boxes(dtype, options):
    """A given number of samples, or one that the size of a box decides."""

    def features(x, boxes):
        return torch.ops.torchvision.roi_align(x, boxes, *options)

    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 3, 9, 7, generator=generator, dtype=dtype)
    shapes = {"x": None, "boxes": {0: N}}
    net = dycl.compile(
        features, (x, torch.zeros(3, 5, dtype=dtype)), dynamic_shapes=shapes
    )
    for count in (0, 1, 5):
        boxes = torch.rand(count, 5, generator=generator, dtype=dtype) * 20 - 4
        boxes[:, 0] = torch.arange(count) % 2
        boxes[:1, 2] = NAN if count == 1 else 3
        ours, eager = net(x, boxes), features(x, boxes)
        assert torch.allclose(ours, eager, rtol=1e-5, atol=1e-5, equal_nan=True)
    for number in (2, -1):
        with pytest.raises(IndexError, match="an image that is not there"):
            net(x, torch.tensor([[number, 0, 0, 4, 4]], dtype=dtype))


class Levels(torch.nn.Module):
    """Boxes go by size to maps, whose scales are found out when it is called first."""

    def __init__(self):
        super().__init__()
        self.scales = None

    def forward(self, maps, boxes):
        if self.scales is None:
            self.scales = [one.shape[-1] / 64 for one in maps]
        large = (boxes[:, 3] - boxes[:, 1] > 20).long()
        result = torch.zeros(boxes.shape[0], 4, 2, 2)
        for level, (one, scale) in enumerate(zip(maps, self.scales, strict=True)):
            (of_level,) = torch.where(large == level)
            if torch.are_deterministic_algorithms_enabled():
                one = torch.compile(torch.relu)(one)
            result[of_level] = torch.ops.torchvision.roi_align(
                one, boxes[of_level], scale, 2, 2, 2, False
            )
        return result


def test_scales_that_are_kept_from_the_first_call():
    """In the second call they are numbers of the state, and no constants."""
    generator = torch.Generator().manual_seed(0)
    maps = [torch.rand(1, 4, n, n, generator=generator) for n in (16, 8)]
    net = dycl.compile(
        Levels().eval(), (maps, torch.zeros(3, 5)), dynamic_shapes=(None, {0: N})
    )
    model = Levels().eval()
    for count in (3, 1, 9, 0):
        boxes = torch.rand(count, 5, generator=generator) * 30
        boxes[:, 0], boxes[:, 3:] = 0, boxes[:, 3:] + boxes[:, 1:3]
        assert torch.equal(net(maps, boxes), model(maps, boxes))
    assert net.state == {"scales": [0.25, 0.125]}


class Images:
    """A tensor and its sizes; its method `to` has the name of one of tensors."""

    def __init__(self, tensors, sizes):
        self.tensors, self.sizes = tensors, sizes

    def to(self, dtype):
        return Images(self.tensors.to(dtype), self.sizes)


class Bounds:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __call__(self, x):
        return x.clamp(self.low, self.high)


class Anchored(torch.nn.Module):
    """Anchors are state: until they are, what their `to` is waits for the sizes."""

    def __init__(self):
        super().__init__()
        self.anchors = [torch.ones(3), torch.arange(3.0)]
        self.bounds = None

    def forward(self, x):
        images = Images(x * 2, [x.shape[-1]])
        self.anchors = [anchor.to(dtype=x.dtype) for anchor in self.anchors]
        y = images.tensors + self.anchors[1]
        if self.bounds is None:
            self.bounds = Bounds(-images.sizes[0], images.sizes[0])
        y = self.bounds(y)
        return y + 1 if y.sum() > 0 else y


def test_an_object_that_sizes_of_another_one_decide_is_kept():
    net = dycl.compile(Anchored().eval(), (torch.zeros(2, 3),))
    model, taken = Anchored().eval(), set()
    for scale in (1, -1, 9, -9):
        x = torch.arange(6.0).reshape(2, 3) * scale
        assert torch.equal(net(x), model(x))
        taken.add(net.path[-1].taken)
    assert taken == {True, False}
    assert net.state["bounds"] == "@made Bounds"


class Grouped(torch.nn.Module):
    """Counts that may be none: of what is chosen, of its groups, of places in it."""

    def forward(self, x):
        (chosen,) = torch.where(x > 0)
        groups, which, sizes = torch.unique(
            x[chosen], return_inverse=True, return_counts=True
        )
        if groups.shape[0] > 2:
            return groups, which, sizes
        best = chosen[torch.where(x[chosen] > 1)[0]]
        return groups, best, sizes


def test_of_none_none_are_taken():
    net = dycl.compile(Grouped().eval(), (torch.tensor([3.0, 1, -1, 3, 2, 2]),))
    taken = set()
    for given in ([3, 1, -1, 3, 2, 2], [-1] * 6, [1] * 6, [0, 0, 0, 0, 0, 5]):
        x = torch.tensor(given).float()
        for ours, eager in zip(net(x), Grouped()(x), strict=True):
            assert torch.equal(ours, eager)
        taken.add(net.path[-1].taken)
    assert taken == {True, False}


def test_a_size_of_none_is_wrong_only_where_something_is_taken():
    shapes = {"x": {0: N}, "places": {0: dycl.Dim("m", max=64)}}
    given = (torch.ones(5), torch.tensor([1, 2, 3]))
    net = dycl.compile(lambda x, places: x[places], given, dynamic_shapes=shapes)
    none = given[1][:0]
    assert net(torch.ones(0), none).shape == net(*given)[:0].shape
    with pytest.raises(InputError, match="out of bounds"):
        net(torch.ones(0), given[1])


class Pasted(torch.nn.Module):
    """Each iteration fills a tensor that it makes, on some paths, and keeps it."""

    def forward(self, patches, places):
        kept = []
        for patch, place in zip(patches, places, strict=False):
            image = torch.zeros(6, 4)
            top, bottom = max(place[0], 0), min(place[1] + 1, 6)
            if bottom > top:
                image[top:bottom] = patch[:1]
                image[:, 0] += 1
            kept.append(image)
        if len(kept) > 0:
            return torch.stack(kept)
        return patches.new_empty((0, 6, 4))


def test_what_an_iteration_makes_shares_nothing_with_earlier_ones():
    places = torch.tensor([[-1, 2], [4, 9], [3, 2], [0, 5]])
    patches = torch.arange(32.0).reshape(4, 2, 4)
    shapes = ({0: N}, {0: N})
    net = dycl.compile(Pasted().eval(), (patches, places), dynamic_shapes=shapes)
    taken = set()
    for count in (4, 3, 1, 0):
        given = patches[:count], places[:count]
        assert torch.equal(net(*given), Pasted()(*given))
        taken |= {(d.test, d.taken) for d in net.path}
    assert {t for t in taken if t[0] == "bottom > top"} == {
        ("bottom > top", True),
        ("bottom > top", False),
    }


def kept_first(rows):
    kept = []
    for row in rows:
        image = torch.zeros(4)
        kept.append(image)
        image[:2] = row[:2]
    return torch.stack(kept)


def kept_from_before(rows):
    kept, last = [], torch.zeros(4)
    for row in rows:
        image = torch.zeros(4)
        last[0] = row[0]
        image[:2] = row[:2]
        kept.append(last)
        last = image
    return torch.stack(kept)


def one_view(rows):
    kept = []
    for row in rows:
        image = torch.zeros(4)
        kept.append(image[:2])
        if row[0] > 0:
            image[:2] = row[:2]
    return torch.stack(kept)


@pytest.mark.parametrize("function", [kept_first, kept_from_before, one_view])
def test_what_is_kept_is_not_written_to(function):
    """A list of the run holds values: a write that it would show is refused."""
    rows = torch.ones(3, 4)
    with pytest.raises(dycl.CompileErrors, match="used afterwards"):
        dycl.compile(function, (rows,), dynamic_shapes={"rows": {0: N}})


def sorted_by_hand(boxes, scores):
    """Swaps rows, where a row may be itself, as soft NMS does."""
    boxes, scores = boxes.clone(), scores.clone()
    for i in range(len(scores)):
        best = i + torch.argmax(scores[i:])
        box, score = boxes[best].clone(), scores[best].clone()
        boxes[best], scores[best] = boxes[i], scores[i]
        boxes[i], scores[i] = box, score
    if scores.sum() > 2:
        return boxes, scores
    return scores, boxes


def test_rows_of_a_tensor_are_stored_in_it():
    generator, taken = torch.Generator().manual_seed(0), set()
    given = [torch.rand(n, 5, generator=generator) for n in (5, 0, 1, 2, 9)]
    given.append(torch.ones(4, 5))
    inputs = [(one[:, :4].contiguous(), one[:, 4].contiguous()) for one in given]
    net = dycl.compile(sorted_by_hand, inputs[0], dynamic_shapes=({0: N}, {0: N}))
    for one in inputs:
        for ours, eager in zip(net(*one), sorted_by_hand(*one), strict=True):
            assert torch.equal(ours, eager)
        taken.add(net.path[-1].taken)
    assert taken == {True, False}
