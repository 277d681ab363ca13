"""A zip archive of stored members, each number of which may be another one."""

import struct
import zlib

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_NUMBERS = (0, 1, 2, 8, 20, 45, 255, 0x7FFF, 0xFFFF, 1 << 31, 0xFFFFFFFF, 30, 64, 4096)


def write(members, draw=None):
    """The archive's bytes; with `draw`, one to three of its numbers are wrong ones, or
    it is cut, or has a member twice."""
    listed = list(members.items())
    if draw is not None and draw.random() < 0.15:
        listed.insert(draw.randrange(len(listed) + 1), draw.choice(listed))
    out, central = bytearray(), []
    records = []
    for name, data in listed:
        raw = name.encode("utf-8", "surrogatepass")
        fill = -(len(out) + _LOCAL.size + len(raw)) % 64
        crc = zlib.crc32(data)
        sizes = (crc, len(data), len(data))
        local = [b"PK\3\4", 20, 0, 0, 0, 33, *sizes, len(raw), fill]
        central.append(
            [b"PK\1\2", 20, 20, 0, 0, 0, 33, *sizes, len(raw), *[0] * 5, len(out)]
        )
        records.append((len(out), local, raw))
        out += bytes(_LOCAL.size) + raw + bytes(fill) + data
    count = len(listed)
    end = [b"PK\5\6", 0, 0, count, count, 0, len(out), 0]
    if draw is not None:
        for _ in range(draw.choice((1, 1, 2, 3))):
            _spoil(draw, draw.choice((*[r[1] for r in records], *central, end, end)))
    for start, local, _ in records:
        out[start : start + _LOCAL.size] = _packed(_LOCAL, local)
    directory = b"".join(
        _packed(_CENTRAL, entry) + raw
        for entry, (_, _, raw) in zip(central, records, strict=True)
    )
    if end[5] == 0:
        end[5] = len(directory)
    data = bytes(out) + directory + _packed(_END, end)
    if draw is not None and draw.random() < 0.2:
        at = draw.randrange(len(data) + 1)
        data = draw.choice((data[:at], data[at:], data + bytes(40), bytes(40) + data))
    return data


def _spoil(draw, record):
    place = draw.randrange(1, len(record))
    record[place] = draw.choice((*_NUMBERS, record[place] + 1, record[place] - 1))


def _packed(layout, record):
    """The record, each number cut to its width."""
    widths = _WIDTHS[layout]
    values = [v & w for v, w in zip(record[1:], widths, strict=True)]
    return layout.pack(record[0], *values)


_SHORT, _LONG = 0xFFFF, 0xFFFFFFFF
_WIDTHS = {
    _LOCAL: [_SHORT] * 5 + [_LONG] * 3 + [_SHORT] * 2,
    _CENTRAL: [_SHORT] * 6 + [_LONG] * 3 + [_SHORT] * 5 + [_LONG] * 2,
    _END: [_SHORT] * 4 + [_LONG] * 2 + [_SHORT],
}
"""The largest value of each number, in order."""
