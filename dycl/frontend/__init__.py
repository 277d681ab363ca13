"""From Python source to the source level: the model's objects and its functions.

An `Importer` reads `forward` and the functions asked of it as syntax trees (never by
running them) and writes what they say as `dycl` ops, one function each. What the model
knows (`self.threshold`, `self.blocks`) is recorded beside them as `dycl.object`s.
`import_exported` reads the graph of a `torch.export.ExportedProgram` instead.
"""

from dycl.frontend.exported import import_exported, is_exported
from dycl.frontend.importer import Imported, Importer, Structure, import_model

__all__ = [
    "Imported",
    "Importer",
    "Structure",
    "import_exported",
    "import_model",
    "is_exported",
]
