"""Texts made by `%`, of numbers that the data decides."""

import enum

from torch import nn


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 20


class Side(enum.StrEnum):
    LEFT = enum.auto()


class Mode(str, enum.Enum):  # noqa: UP042
    FAST = "fast"

    def __str__(self):
        return self.value


class Count(int):
    """Its text is that of an int."""


class Formatted(nn.Module):
    """Each kind of field, with each flag."""

    def forward(self, x):
        i, s = int(x.argmax()), round(float(x.mean()) * 4) / 4
        b = bool(s > 0)
        if x.sum() > 1:
            return "100%% of %s" % i, "%.2f" % s  # noqa: UP031
        return (
            "%5d|%-5d|%05d|%+d|% d|%i|%u" % (i, i, i, i, i, s, b),  # noqa: UP031
            "%s %r %10s %-10s|%10s{}" % (s, "a", "b", b, s),  # noqa: UP031
            "%e %G %.1f %08.3f %f" % (s, s, i, s, b),  # noqa: UP031
        )


class NoInteger(nn.Module):
    """`%d` of what is no number raises."""

    def forward(self, x):
        if x.sum() > 1:
            return "all"
        return "%d" % float(x.sum() / (x.max() - x.max()))  # noqa: UP031


class FormatOfTheModel(nn.Module):
    """The attributes of the model say how a number is written."""

    def __init__(self):
        super().__init__()
        self.digits, self.align = 2, ">"

    def forward(self, x):
        s = round(float(x.mean()) * 4) / 4
        if x.sum() > 1:
            return f"{s:.{self.digits}f}"
        width = "{:{}{}}".format("a", self.align, x.size(1))
        return f"{s:{self.align}{10}.{self.digits + 1}f}|{width}|{s!r:<{8}}|"


class Members(nn.Module):
    """Members of enums whose texts are those of their numbers and texts."""

    def __init__(self):
        super().__init__()
        self.level, self.count = Level.HIGH, Count(4)

    def forward(self, x):
        texts = f"{Level.LOW}|{self.level:>4}|{self.level:03d}|{Side.LEFT:^6}"
        if x.sum() > 1:
            return texts, "%d %s" % (Level.LOW, Side.LEFT), x  # noqa: UP031
        if x.sum() < -1:
            return f"{Mode.FAST}", f"{Mode.FAST:>6}", "%s" % Mode.FAST, x  # noqa: UP031
        return f"{self.count:02d}", "{} {a}".format(Level.LOW, a=self.level), x  # noqa: UP032


class Joined(nn.Module):
    """Names of what was done, and whether numbers are whole."""

    def forward(self, x):
        way = []
        for number in range(2):
            name = "low" if x[0, number] < 0.5 else "high"
            way.append(name)
        whole = float(x[0, 0]).is_integer(), (x.sum() / 0).item().is_integer()
        if x[0, 1].item().is_integer():
            return "{}".join(way), whole
        return "-".join(str(int(v)) for v in x[0].tolist()), whole, "".join(way[:1])


PROGRAMS = (Formatted, Joined, NoInteger, FormatOfTheModel, Members)
