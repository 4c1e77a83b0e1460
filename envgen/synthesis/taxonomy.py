"""Which domains to ask a model for: a tree of sectors, roles and workflows, and a record of what was drawn so that draws stay even.

The record is one JSON line per domain, appended in one write, so that processes that share it neither lose nor overwrite each other's
lines and a killed one leaves at most a cut line, which is passed over.
"""

import json
import os
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from envgen.core.data import data_path
from envgen.core.digest import canonical_json, rng
from envgen.core.errors import InfrastructureError, UsageError

T = TypeVar("T")
_NAMES = ("sector", "role", "workflow")


@dataclass(frozen=True)
class Sector:
    """A part of the economy: who works with its systems, and what these keep track of. Any role meets any workflow."""

    name: str
    roles: tuple[str, ...]
    workflows: tuple[str, ...]


@dataclass(frozen=True)
class Branch:
    """One leaf of the tree: what a domain is asked for."""

    sector: str
    role: str
    workflow: str

    @property
    def key(self) -> str:
        """The stable name of the branch, "sector/role/workflow"."""
        return f"{self.sector}/{self.role}/{self.workflow}"


@dataclass(frozen=True)
class Drawn:
    """A domain that was asked for; `bundle` is where it went, None when nothing was kept of it."""

    branch: Branch
    domain: str
    bundle: str | None


@lru_cache(maxsize=1)
def taxonomy() -> tuple[Sector, ...]:
    """Return the tree of `templates/taxonomy.toml`. InfrastructureError when the file is missing or malformed."""
    path = data_path("templates/taxonomy.toml")
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))["sector"]
        return tuple(Sector(one["name"], tuple(one["roles"]), tuple(one["workflows"])) for one in raw)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as problem:
        raise InfrastructureError(f"{path} is damaged ({problem}): install envgen-rl again") from problem


@dataclass
class Coverage:
    """How often each branch was drawn, kept in the file `path`. Every method reads the file anew: other processes may have added to it."""

    path: Path
    sectors: Sequence[Sector] = field(default_factory=taxonomy)

    @classmethod
    def open(cls, path: Path) -> "Coverage":
        """Return the coverage kept at `path`, empty when there is no such file. UsageError when it holds something else."""
        coverage = cls(path)
        coverage.drawn()
        return coverage

    def next(self, seed: int, number: int) -> Branch:
        """Return the branch to ask for as the `number`-th domain of a run: the least covered sector, in it the least covered role,
        for that role the least covered workflow (among equals the one that the sector has least). Ties are broken by the seed.

        The same seed, number and counts give the same branch.
        """
        counts = self._counts()
        dice = rng(seed, "branch", number)
        sector = _least(self.sectors, lambda one: (counts[one.name],), dice.random)
        role = _least(sector.roles, lambda one: (counts[sector.name, "role", one],), dice.random)
        workflow = _least(
            sector.workflows,
            lambda one: (counts[Branch(sector.name, role, one).key], counts[sector.name, "workflow", one]),
            dice.random,
        )
        return Branch(sector.name, role, workflow)

    def add(self, branch: Branch, domain: str, bundle: str | None) -> None:
        """Count `branch`. A bundle that is recorded already is not counted twice, so a resumed run may add again.

        InfrastructureError when the file cannot be written.
        """
        new = Drawn(branch, domain, bundle)
        if bundle is not None and new in self.drawn():
            return
        line = canonical_json({**asdict(branch), "domain": domain, "bundle": bundle}) + "\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _append(self.path, line.encode("utf-8", "replace"))
        except OSError as problem:
            raise InfrastructureError(
                f"{self.path} cannot be written ({problem.strerror}): free some space or choose another folder"
            ) from problem

    def table(self) -> list[tuple[str, int]]:
        """Return (sector, domains asked for) for each sector of the tree, then for sectors that only the file knows."""
        counts = Counter(drawn.branch.sector for drawn in self.drawn())
        known = [sector.name for sector in self.sectors]
        return [(name, counts[name]) for name in [*known, *sorted(set(counts) - set(known))]]

    def drawn(self) -> list[Drawn]:
        """Return what was asked for so far, in the order of the file. UsageError when the file is no coverage file."""
        try:
            # A cut line may end within a character.
            text = self.path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise InfrastructureError(f"{self.path} cannot be read: {problem.strerror}") from problem
        return list(_parse(text, self.path))

    def _counts(self) -> Counter[Any]:
        counts: Counter[Any] = Counter()
        for branch in (drawn.branch for drawn in self.drawn()):
            keys = (branch.sector, (branch.sector, "role", branch.role), (branch.sector, "workflow", branch.workflow), branch.key)
            counts.update(keys)
        return counts


def _least(choices: Sequence[T], rank: Callable[[T], tuple[int, ...]], random: Callable[[], float]) -> T:
    """The choice of lowest rank. Each choice takes one random number, so that a tie here shifts nothing there."""
    return min(choices, key=lambda one: (*rank(one), random()))


def _append(path: Path, line: bytes) -> None:
    with path.open("ab+") as stream:
        if stream.tell():
            stream.seek(-1, os.SEEK_END)
            # A cut line of a killed process ends here, so that it does not swallow this one. When the cut line is one that
            # another process is just writing, an empty line comes of it, which readers pass over.
            line = line if stream.read(1) == b"\n" else b"\n" + line
        stream.write(line)
        stream.flush()
        os.fsync(stream.fileno())


def _parse(text: str, path: Path) -> Iterator[Drawn]:
    for number, line in enumerate(text.split("\n"), 1):
        try:
            record = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            if not line.startswith("{"):
                raise _foreign(path, number) from None
            continue  # cut off when a process was killed
        if record is not None:
            yield _drawn(record, path, number)


def _drawn(record: Any, path: Path, number: int) -> Drawn:
    if not isinstance(record, dict) or not all(isinstance(record.get(name), str) for name in (*_NAMES, "domain")):
        raise _foreign(path, number)
    bundle = record.get("bundle")
    return Drawn(Branch(*(record[name] for name in _NAMES)), record["domain"], bundle if isinstance(bundle, str) else None)


def _foreign(path: Path, number: int) -> UsageError:
    return UsageError(f"{path}, line {number}: this is not a coverage file. Move it away to start counting anew")
