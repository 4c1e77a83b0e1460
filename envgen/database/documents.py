"""Documents that a user gives to a proposer: API descriptions, tool lists and texts, read into data, quoted, and held against a result.

documents = read_documents("docs/")          # a file or a folder
prompt_text(documents)                       # for a prompt
kept(documents, spec.tools)                  # what a proposal did not keep
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from envgen.core.errors import UsageError
from envgen.database.documents_kept import kept
from envgen.database.documents_lists import read_tool_list, tool_entries
from envgen.database.documents_load import ACCEPTED, load_data, load_text
from envgen.database.documents_openapi import is_openapi, read_openapi
from envgen.database.documents_prompt import prompt_text
from envgen.database.documents_types import DocumentedParameter, DocumentedTool, Documents, Reading, distinct, string

__all__ = ["DocumentedParameter", "DocumentedTool", "Documents", "kept", "prompt_text", "read_documents"]

DATA, TEXTS = (".json", ".yaml", ".yml"), (".md", ".txt")
MAX_FILES = 200
_HEADING = re.compile(r"^#{1,2}[ \t]+(\S.*)$", re.MULTILINE)


def read_documents(path: str | Path) -> Documents:
    """Read a file, or every document of a folder and the folders in it, in the order of their names; hidden files are passed over.

    Nothing is fetched: a reference that leads out of a document is noted. UsageError names the file, what is wrong with it and what is
    accepted: no such path, no documents, above 5 MB, not UTF-8, broken JSON or YAML (with the line), or data that is no API description
    and no tool list.
    """
    root = Path(path)
    try:
        found, others = _files(root)
    except OSError as problem:
        raise UsageError(
            f"{root} cannot be read: {problem.strerror or problem}. --from-docs takes {ACCEPTED}, or a folder of these"
        ) from problem
    whole = Reading()
    if others:
        whole.note(f"{len(others)} files of other kinds are left out: {', '.join(others[:5])}{', …' if len(others) > 5 else ''}")
    texts: list[tuple[str, str]] = []
    for name, file in found:
        reading = _read(file, name)
        whole.title = whole.title or reading.title
        whole.tools += reading.tools
        texts += [(name, reading.text)] if reading.text else []
        for note in reading.notes:
            whole.note(note)
    tools = distinct(whole.tools, whole)
    if not tools and not texts:
        raise UsageError(f"there is nothing to read in {root}: no operations, no tools and no text. Accepted is {ACCEPTED}")
    return Documents(whole.title or string(root.resolve().stem, 100), tuple(tools), tuple(texts), tuple(whole.notes))


def _files(root: Path) -> tuple[list[tuple[str, Path]], list[str]]:
    """The documents below `root` as (name, file) and the names of other files."""
    if root.is_file():
        if root.suffix.lower() not in DATA + TEXTS:
            raise UsageError(f"{root} is of a kind that is not read ({root.suffix or 'no suffix'}). Accepted is {ACCEPTED}")
        return [(_shown(root.name), root)], []
    if not root.is_dir():
        raise UsageError(f"{root} is neither a file nor a folder. --from-docs takes {ACCEPTED}, or a folder of these")
    documents: list[tuple[str, Path]] = []
    others: list[str] = []
    for file in _walk(root):
        name = _shown(file.relative_to(root).as_posix())
        if file.suffix.lower() in DATA + TEXTS:
            documents.append((name, file))
        else:
            others.append(name)
        if len(documents) > MAX_FILES:
            raise UsageError(f"{root} holds more than {MAX_FILES} documents: give the folder of those that matter for the business")
    if not documents:
        raise UsageError(f"{root} holds no documents{f' ({len(others)} files of other kinds)' if others else ''}. Accepted is {ACCEPTED}")
    return sorted(documents), sorted(others)


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            if not name.startswith(".") and file.is_file():
                yield file


def _unreadable(problem: OSError) -> None:
    raise problem


def _shown(name: str) -> str:
    return string(name, 200)


def _read(file: Path, name: str) -> Reading:
    text = load_text(file, name)
    if file.suffix.lower() in TEXTS:
        heading = _HEADING.search(text)
        return Reading(title=string(heading[1], 100) if heading else "", text=_readable(text).strip())
    data = load_data(text, name, yaml=file.suffix.lower() != ".json")
    if is_openapi(data):
        return read_openapi(data, name)
    entries = tool_entries(data)
    if entries is None:
        raise UsageError(f"{name} is neither an API description nor a tool list. Accepted is {ACCEPTED}")
    return read_tool_list(data, entries, name)


def _readable(text: str) -> str:
    """The text without control and other invisible characters; line ends are "\\n"."""
    plain = "\n".join(text.replace("\r\n", "\n").split("\r"))
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " if sign.isspace() else "" for sign in plain)
