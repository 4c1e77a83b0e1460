"""Training environments for language-model agents: made, proven sound, and handed to trainers.

    import envgen

    env = envgen.load("generated/veterinary-clinic")
    session = env.start(env.tasks()[0])

Importing this package loads the standard library and pydantic only; each name below is fetched when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from envgen.bundle.read import Bundle, read_bundle
    from envgen.core.errors import BundleError, EnvgenError, FormatError, InfrastructureError, SessionError, UnsoundError, UsageError
    from envgen.core.outcome import Check, ToolError, ToolResult, Verdict
    from envgen.core.protocols import Environment, Session, Snapshot
    from envgen.core.types import Gold, Manifest, Message, Task

__version__ = "0.1.0"

_HOME = {
    "Bundle": "bundle.read",
    "BundleError": "core.errors",
    "Check": "core.outcome",
    "Environment": "core.protocols",
    "EnvgenError": "core.errors",
    "FormatError": "core.errors",
    "Gold": "core.types",
    "InfrastructureError": "core.errors",
    "Manifest": "core.types",
    "Message": "core.types",
    "Session": "core.protocols",
    "SessionError": "core.errors",
    "Snapshot": "core.protocols",
    "Task": "core.types",
    "ToolError": "core.outcome",
    "ToolResult": "core.outcome",
    "UnsoundError": "core.errors",
    "UsageError": "core.errors",
    "Verdict": "core.outcome",
    "read_bundle": "bundle.read",
}

__all__ = [
    "Bundle",
    "BundleError",
    "Check",
    "EnvgenError",
    "Environment",
    "FormatError",
    "Gold",
    "InfrastructureError",
    "Manifest",
    "Message",
    "Session",
    "SessionError",
    "Snapshot",
    "Task",
    "ToolError",
    "ToolResult",
    "UnsoundError",
    "UsageError",
    "Verdict",
    "load",
    "read_bundle",
]


def load(path: "str | Path") -> "Environment":
    """Return the environment of the bundle folder `path`.

    Errors: UsageError when there is no bundle there, FormatError when it is newer than this version of envgen reads,
    BundleError when it is damaged.
    """
    from pathlib import Path

    from envgen.bundle.read import read_manifest
    from envgen.core.errors import UsageError

    family = read_manifest(path).family
    environment: Environment
    if family == "database":
        from envgen.database.runtime import DatabaseEnvironment

        environment = DatabaseEnvironment.load(path)
    elif family == "fused":
        from envgen.fused.environment import FusedEnvironment

        folders = sorted((Path(path) / "with").glob("*/bundle.json"))
        environment = FusedEnvironment.load(path, inner={folder.parent.name: load(folder.parent) for folder in folders})
    else:
        raise UsageError(f"{path} is a bundle of the family {family!r}; envgen {__version__} plays 'database' and 'fused'")
    return environment


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'envgen' has no attribute {name!r}")
    value = getattr(import_module(f"envgen.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
