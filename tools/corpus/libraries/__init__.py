"""Where programs come from: a module per library, with `programs(options)`."""

from importlib import import_module

LIBRARIES = (
    "own",
    "paritybench",
    "timm_models",
    "torchvision_models",
    "transformers_models",
)


def programs_of(name, folder):
    """The programs of a library, in a fixed order; `folder`: where its files lie."""
    return import_module(f"tools.corpus.libraries.{name}").programs(folder)
