"""From Python source to the source level: the model's objects and its functions.

`import_model` reads `forward` and all it can reach as syntax trees (never by running
them) and writes what they say as `dycl` ops, one function each. What the model object
knows (`self.threshold`, `self.blocks`) is recorded beside them as `dycl.object`s.
`import_exported` reads the graph of a `torch.export.ExportedProgram` instead.
"""

from dycl.frontend.exported import import_exported, is_exported
from dycl.frontend.importer import Imported, Structure, import_function, import_model

__all__ = [
    "Imported",
    "Structure",
    "import_exported",
    "import_function",
    "import_model",
    "is_exported",
]
