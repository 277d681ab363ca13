"""The C files that are the same for all networks, and what they are for."""

from importlib import resources


def headers() -> dict[str, str]:
    """What host.c and model.c include: name -> text."""
    return _texts(
        *("dycl.h", "support.h", "blocks.h", "heap.h", "frames.h", "batch.h"),
        "device.h",
        *("probe.h", "waiting.h", "thread_pool.h", "quota.h", "pick.h", "times.h"),
    )


def common() -> dict[str, str]:
    """What is the same in all networks, besides headers: `dycl.c`, which is linked with
    host.c, `pick.c`, which is with model.c, and what these include."""
    return _texts(
        *("dycl.c", "support.c", "blocks.c", "heap.c", "stack.c", "frames.c"),
        *(
            "batch.c",
            "together.c",
            "times.c",
            "entry.c",
            "pick.c",
            "objects.h",
            "node_reader.h",
            "nodes.h",
            "tensors.h",
            "kept.h",
            "large.h",
            "rows.h",
            "row_team.h",
        ),
    )


def _texts(*names: str) -> dict[str, str]:
    folder = resources.files("dycl.host.native")
    return {name: (folder / name).read_text("utf-8") for name in names}
