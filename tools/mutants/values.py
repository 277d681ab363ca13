"""Values, JSON and texts that are nearly what they were."""

import json
from copy import deepcopy

_SIZES = (0, 1, -1, 2, 7, 8, 63, 64, 65, 4095, 4097, 1 << 31, 1 << 32, (1 << 63) - 1,
          1 << 63, (1 << 64) - 1)  # fmt: skip
_ODD = (
    *(None, True, False, "", "x", "float32", "F32", "int", "../x", "é" * 300, 1e308),
    *(float("inf"), float("nan"), -0.0, 0.5, [], {}, [[]], [0], [-1], {"": None}),
    *({"leaf": 0}, {"leaf": "x"}, {"tuple": []}, {"items": "int"}, 1 << 70, "\0"),
    *([1 << 40, 1 << 40], {"scalar": "int"}, {"dtype": "float32", "shape": [1]}),
)


def replacement(value, draw, sizes=False):
    """Another value in place of this one."""
    if isinstance(value, bool) or (not sizes and draw.random() < 0.3):
        return deepcopy(draw.choice(_ODD))
    if isinstance(value, int):
        near = (value + 1, value - 1, value * 2, value // 2, -value)
        return draw.choice((*near, *_SIZES))
    if isinstance(value, str):
        return _near_text(value, draw)
    return deepcopy(draw.choice(_ODD))


def _near_text(text, draw):
    at = draw.randrange(len(text) + 1)
    return draw.choice(
        (text[:at], text[at:], text + text, text[::-1], text.upper(), f"{text}'",
         text[:at] + "0" + text[at:], text.replace("32", "64"), text.replace("1", "2"))
    )  # fmt: skip


def edited_json(data, draw):
    """JSON with one or two values changed, moved, doubled, renamed or taken out."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return edited_text(data, draw)
    holder = [value]
    for _ in range(draw.choice((1, 1, 1, 2))):
        if places := list(_places(holder)):
            _edit(*draw.choice(places), draw)
    return json.dumps(holder[0] if holder else None, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def _places(value):
    """Each place of a value: what holds it, and its key there."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield value, index
            yield from _places(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield value, key
            yield from _places(item)


def _edit(container, key, draw):
    how = draw.randrange(8)
    others = list(container) if isinstance(container, dict) else range(len(container))
    other = draw.choice(list(others))
    if how < 4:
        container[key] = replacement(container[key], draw)
    elif how == 4:
        del container[key]
    elif how == 5:
        container[key], container[other] = container[other], container[key]
    elif how == 6 and isinstance(container, dict):
        container[_near_text(key, draw)] = container.pop(key)
    elif isinstance(container, list):
        container.insert(key, deepcopy(container[other]))
    else:
        container[key] = {key: container[key]}


def edited_text(data, draw):
    """A text that was cut, with other lines, with bytes that are no UTF-8, or deep."""
    lines = data.split(b"\n")
    at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    how = draw.randrange(7)
    if how == 0:
        return data[: draw.randrange(len(data) + 1)]
    if how == 1:
        del lines[at]
    elif how == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif how == 3:
        lines.insert(at, lines[other])
    elif how == 4:
        lines[at] += draw.choice((b"\xff\xfe", b"\0", b"\xed\xa0\x80", b" \t"))
    elif how == 5:
        return draw.choice((b"[" * 200_000, b'{"a":' * 100_000, b"9" * 10_000, b""))
    else:
        place = draw.randrange(len(data) + 1)
        return data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :]
    return b"\n".join(lines)
