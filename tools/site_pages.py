"""Hook of MkDocs: adds the reference pages, which are written from the code, and the
notebooks.

They are not kept in the repository, so they cannot be out of date.
"""

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).resolve().parent))

import notebook
from gen_docs import PAGES


def on_files(files: Files, config: Any) -> Files:
    """Each page of `gen_docs` as `reference/NAME.md`, each notebook beside itself."""
    for name, page in PAGES.items():
        files.append(File.generated(config, f"reference/{name}.md", content=page()))
    docs = Path(config["docs_dir"])
    for path in sorted(docs.rglob("*.ipynb")):
        name = str(path.relative_to(docs).with_suffix(".md"))
        files.append(File.generated(config, name, content=notebook.page(path)))
    return files
