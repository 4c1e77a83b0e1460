"""Read a bundle folder. Each part is checked against its recorded digest when it is read; gold and evidence are read late."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from envgen.bundle.digest import PARTS, json_digest, manifest_digest, text_digest, world_digest
from envgen.core.errors import BundleError, FormatError, UsageError
from envgen.core.types import FORMAT, Evidence, Gold, JsonObject, Manifest, Record, Task

R = TypeVar("R", bound=Record)
REPAIR = "Copy the bundle again, or make it anew with the command in the manifest's provenance"


@dataclass(frozen=True)
class Bundle:
    """A bundle that was read. `gold` and `evidence` are read at their first use; a public copy may lack those files."""

    path: Path
    manifest: Manifest
    environment: JsonObject
    tasks: tuple[Task, ...]
    policy: str
    check: bool = True

    @property
    def world(self) -> Path:
        """The SQLite file of the start state. BundleError when it is missing or altered."""
        path = self.path / "world.sqlite"
        _need(path)
        self._agree("world.sqlite", lambda: world_digest(path))
        return path

    @cached_property
    def gold(self) -> tuple[Gold, ...]:
        """The reference solutions. BundleError when the file is missing, damaged or altered."""
        return self._records("gold.jsonl", Gold)

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """What the gates saw. BundleError when the file is missing, damaged or altered."""
        return self._records("evidence.jsonl", Evidence)

    def verify_digest(self) -> None:
        """Check every part and the whole against the manifest. BundleError names the first part that differs."""
        self._agree("environment.json", lambda: json_digest(self.environment))
        self._agree("policy.md", lambda: text_digest(self.policy))
        self._agree("verify.py", lambda: text_digest(_text(self.path / "verify.py")))
        _ = self.gold, self.evidence
        if "world.sqlite" in self.manifest.parts:
            _ = self.world
        self._agree("tasks.jsonl", lambda: json_digest([raw for _, raw in _lines(self.path / "tasks.jsonl")]))
        if manifest_digest(self.manifest) != self.manifest.digest:
            raise BundleError(f"{self.path / 'bundle.json'}: the content does not match its digest: the file was altered. {REPAIR}")

    def _records(self, name: str, kind: type[R]) -> tuple[R, ...]:
        raw = _lines(self.path / name)
        self._agree(name, lambda: json_digest([value for _, value in raw]))
        return tuple(_parse(kind, value, f"{self.path / name}, line {number}") for number, value in raw)

    def _agree(self, part: str, actual: Callable[[], str]) -> None:
        recorded = self.manifest.parts.get(part)
        if self.check and recorded is not None and actual() != recorded:
            raise BundleError(f"{self.path / part}: the content does not match the digest in bundle.json: the file was altered. {REPAIR}")


def read_bundle(path: str | Path, *, check: bool = True) -> Bundle:
    """Read the bundle folder `path`.

    check: compare each part with its recorded digest as it is read; False is for tests that plant a defect.
    Errors: UsageError (no bundle there), FormatError (newer than this version reads), BundleError (damaged; names file and line).
    """
    folder = Path(path)
    manifest = read_manifest(folder)
    _complete(folder, manifest)
    environment = _json(folder / "environment.json")
    bundle = Bundle(folder, manifest, environment, (), _text(folder / "policy.md"), check)
    bundle._agree("environment.json", lambda: json_digest(environment))
    bundle._agree("policy.md", lambda: text_digest(bundle.policy))
    return Bundle(folder, manifest, environment, bundle._records("tasks.jsonl", Task), bundle.policy, check)


def read_manifest(path: str | Path) -> Manifest:
    """Read `bundle.json` of the folder `path`. Errors as `read_bundle`."""
    file = Path(path) / "bundle.json"
    if not file.is_file():
        raise UsageError(f"{path} is not a bundle: there is no bundle.json in it. `envgen synthesize` makes one")
    raw = _json(file)
    number = raw.get("format", 1)
    if not isinstance(number, int) or number > FORMAT:
        raise FormatError(f"{file} has format {number}, this version of envgen reads up to {FORMAT}. Install a newer envgen-rl")
    return _parse(Manifest, raw, str(file))


def _complete(folder: Path, manifest: Manifest) -> None:
    for name in PARTS:
        if name in manifest.parts:
            _need(folder / name)


def _need(path: Path) -> None:
    if not path.is_file():
        raise BundleError(f"{path} is missing: the bundle is incomplete. {REPAIR}")


def _text(path: Path) -> str:
    _need(path)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise BundleError(f"{path}: not UTF-8 at byte {problem.start}: the file is damaged. {REPAIR}") from problem


def _json(path: Path) -> JsonObject:
    value = _decode(_text(path), str(path))
    if not isinstance(value, dict):
        raise BundleError(f"{path}: expected a JSON object, found {type(value).__name__}. {REPAIR}")
    return value


def _lines(path: Path) -> list[tuple[int, Any]]:
    text = _text(path)
    if text and not text.endswith("\n"):
        raise BundleError(f"{path}, line {text.count(chr(10)) + 1}: the line is cut off: the file is truncated. {REPAIR}")
    # Not splitlines: U+2028 and its like may stand inside a JSON string.
    lines = text.split("\n")[:-1]
    return [(number, _decode(line, f"{path}, line {number}")) for number, line in enumerate(lines, 1)]


def _decode(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise BundleError(f"{where}: not JSON ({problem}): the file is damaged. {REPAIR}") from problem


def _parse(kind: type[R], value: Any, where: str) -> R:
    try:
        return kind.model_validate(value)
    except ValidationError as problem:
        first = problem.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise BundleError(f"{where}: {field}: {first['msg']}. The record does not fit {kind.__name__}; see schemas/") from problem
