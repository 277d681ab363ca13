"""Rows as a plain table: words to the left, numbers to the right."""


def text(rows):
    """Lines of text for a list of dicts that have the same keys, in their order."""
    if not rows:
        return "(nothing)"
    heads = list(rows[0])
    cells = [[_cell(row[head]) for head in heads] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    left = [isinstance(rows[0][head], str) for head in heads]
    return "\n".join(_line(line, widths, left) for line in [heads, *cells])


def _line(cells, widths, left):
    padded = (
        cell.ljust(width) if to_left else cell.rjust(width)
        for cell, width, to_left in zip(cells, widths, left, strict=True)
    )
    return "  ".join(padded).rstrip()


def _cell(value):
    return f"{value:,.2f}" if isinstance(value, float) else str(value)
