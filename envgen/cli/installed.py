"""Versions of Python, SQLite and the packages of each extra, read without importing any of them but apsw."""

import importlib.util
import platform
import sqlite3
import sys
from importlib import metadata

from envgen import __version__

BASE = ("pydantic", "apsw", "jsonschema-rs", "anyio", "typer", "rich")
OLDEST_SQLITE = (3, 38, 0)
EXTRAS = {
    "synth": (
        "sqlalchemy",
        "sqlglot",
        "sqlite_utils",
        "jsonschema",
        "jinja2",
        "networkx",
        "faker",
        "rapidfuzz",
        "hypothesis",
        "pandas",
        "inflect",
        "datasketch",
    ),
    "llm": ("openai", "tenacity", "litellm", "yaml"),
    "gym": ("gymnasium",),
    "serve": ("fastapi", "uvicorn", "websockets", "mcp"),
    "export": ("datasets", "pyarrow", "huggingface_hub"),
    "scale": ("ray",),
    "broken": ("docker",),
}


def versions() -> dict[str, str]:
    """Return name -> version of the base; an empty version means missing or too old."""
    found = {"envgen": __version__, "python": platform.python_version() if sys.version_info >= (3, 11) else ""}
    found["sqlite (standard library)"] = sqlite3.sqlite_version if sqlite3.sqlite_version_info >= OLDEST_SQLITE else ""
    found["sqlite (apsw)"] = _apsw_sqlite()
    return found | {name: _version(name) for name in BASE}


def extras() -> dict[str, list[str]]:
    """Return extra -> the modules that it needs and that are not here."""
    return {extra: [name for name in names if importlib.util.find_spec(name) is None] for extra, names in EXTRAS.items()}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _apsw_sqlite() -> str:
    try:
        import apsw
    except ImportError:
        return ""
    return str(apsw.sqlite_lib_version())
