"""Where the files that ship with envgen lie: `templates/`, `schemas/` and `verifiers/`."""

from pathlib import Path

from envgen.core.errors import InfrastructureError

_PACKAGE = Path(__file__).resolve().parents[1]


def data_root() -> Path:
    """Return the folder that holds `templates`, `schemas` and `verifiers`: the wheel's `_data`, else the repository."""
    packaged = _PACKAGE / "_data"
    return packaged if packaged.is_dir() else _PACKAGE.parent


def data_path(relative: str) -> Path:
    """Return the file or folder `relative`, such as "templates/patterns"; InfrastructureError when it is not there."""
    path = data_root() / relative
    if not path.exists():
        raise InfrastructureError(f"{relative} is missing below {data_root()}: the installation is incomplete, install envgen-rl again")
    return path
