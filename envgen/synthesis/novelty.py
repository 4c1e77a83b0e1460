"""Is a proposed environment like one that exists? MinHash over its tools and over its words; order plays no part.

Two environments are as alike as the larger of two estimated Jaccard similarities, of their tool shingles and of their word shingles, or
1.0 when their names have the same words:
- tools: per tool its access with the words of its name, and the same with its parameters and their types. Plurals are cut and common
  verbs stand for their group ("search", "list" and "show" are "find"), so that a synonym makes no new tool.
- words: runs of three words, without function words, in the title and the tools' descriptions.

Measured with the 13 offline domains (small, seeds 0 to 2), which share patterns and so are nearer to each other than what a model
invents. Two different domains are at most 0.36 alike (702 pairs, median 0.10), so all pass. An environment is found again when a third
of its tools has other verbs (at least 0.96), when its tools are shuffled and all descriptions are new (1.0), and when both happen
(at least 0.42). The same domain at two seeds may draw quite different patterns: 20 of 39 pairs reach the threshold by their shape
alone; what refuses the others is their name.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from envgen.core.errors import InfrastructureError
from envgen.core.types import JsonObject
from envgen.database.spec import EnvironmentSpec, Run, Tool

DEFAULT = 0.4
PERMUTATIONS = 256
_SEED = 1
_RUN = 3
_GROUPS = (
    "find search list lookup query browse get show view read fetch see check display retrieve describe",
    "add create register new enter insert open make record log place book reserve submit issue",
    "change update edit set modify adjust amend correct alter reschedule",
    "cancel remove delete drop void revoke",
    "approve accept confirm grant authorise authorize allow",
    "reject decline refuse deny",
    "finish close complete end settle resolve",
)
_VERBS = {word: group.split()[0] for group in _GROUPS for word in group.split()}
_FUNCTION_WORDS = frozenset(
    "a all an and any are as at be by can each for from has have how if in into is it its no not of on one only or than that the their "
    "them then they this to what when where which who whom with".split()
)


@dataclass(frozen=True)
class Signature:
    """What an environment is compared by: its name, the shingles of its tools and those of its words."""

    name: str
    tools: frozenset[str]
    words: frozenset[str]

    @property
    def subject(self) -> frozenset[str]:
        """The words of the name: "night-shift-pharmacy" and "pharmacy, night shift" have the same."""
        return frozenset(_words(self.name))


def signature(spec: EnvironmentSpec) -> Signature:
    """Return the signature of `spec`; two that differ only in the order of tools, parameters or rows have the same."""
    tools = frozenset(shingle for tool in spec.tools for shingle in _tool_shingles(tool))
    texts = [spec.title, *(tool.description for tool in spec.tools)]
    return Signature(spec.name, tools, frozenset(shingle for text in texts for shingle in _word_shingles(text)))


@dataclass
class Archive:
    """Signatures of what exists. `unread` names the folders of `load` whose environment could not be read, with the reason."""

    signatures: list[Signature] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    _sketches: dict[frozenset[str], Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(cls, folder: Path) -> "Archive":
        """Return an archive of the bundles that lie directly in `folder`, in the order of their names; empty when there is no such folder.

        Bundles of other families are passed over.
        """
        archive = cls()
        for file in sorted(folder.glob("*/environment.json")):
            try:
                raw = json.loads(file.read_text(encoding="utf-8"))
                if isinstance(raw, dict) and "tables" in raw:
                    archive.add(signature(EnvironmentSpec.model_validate(raw)))
            except (OSError, ValueError, RecursionError) as problem:
                archive.unread.append(f"{file.parent.name}: {_reason(problem)}")
        return archive

    def add(self, new: Signature) -> None:
        """Add what was made."""
        self.signatures.append(new)

    def nearest(self, other: Signature) -> tuple[str, float] | None:
        """Return the name of what is most like `other` and how much, in [0, 1]; the first one when several are. None when there is nothing.

        InfrastructureError when datasketch is not installed.
        """
        found: tuple[str, float] | None = None
        for one in self.signatures:
            likeness = self.likeness(one, other)
            if found is None or likeness > found[1]:
                found = one.name, likeness
        return found

    def refuses(self, other: Signature, threshold: float = DEFAULT) -> str:
        """Return why `other` is a near-duplicate, naming the environment that it is like; "" when it is new."""
        found = self.nearest(other)
        if found is None or found[1] < threshold:
            return ""
        return f"{other.name!r} is a near-duplicate of {found[0]!r}: {found[1]:.2f} alike, below {threshold:.2f} is new"

    def likeness(self, one: Signature, other: Signature) -> float:
        """Return how alike two signatures are, in [0, 1], as the module's head describes."""
        if one.subject and one.subject == other.subject:
            return 1.0
        return max(self._estimate(one.tools, other.tools), self._estimate(one.words, other.words))

    def _estimate(self, one: frozenset[str], other: frozenset[str]) -> float:
        # Two empty sketches would count as equal.
        return float(self._sketch(one).jaccard(self._sketch(other))) if one and other else 0.0

    def _sketch(self, shingles: frozenset[str]) -> Any:
        if shingles not in self._sketches:
            self._sketches[shingles] = _minhash(shingles)
        return self._sketches[shingles]


def _minhash(shingles: frozenset[str]) -> Any:
    try:
        from datasketch import MinHash
    except ImportError as problem:
        raise InfrastructureError("comparing environments needs datasketch: pip install 'envgen-rl[synth]'") from problem
    # The scheme is named because another version's default would make sketches, and so refusals, differ.
    sketch = MinHash(num_perm=PERMUTATIONS, seed=_SEED, scheme="affine32")
    sketch.update_batch([shingle.encode("utf-8", "replace") for shingle in sorted(shingles)])
    return sketch


def _tool_shingles(tool: Tool) -> Iterator[str]:
    access = "writes" if any(isinstance(step, Run) for step in tool.steps) else "reads"
    name = " ".join(sorted({_VERBS.get(word, word) for word in _words(tool.name)}))
    properties: JsonObject = tool.parameters.get("properties", {})
    yield f"{access} {name}"
    yield f"{access} {name} ({', '.join(sorted(_parameter(own, child) for own, child in properties.items()))})"


def _parameter(name: str, child: JsonObject) -> str:
    said = child.get("type", "enum")
    kinds = [said] if isinstance(said, str) else sorted(kind for kind in said if kind != "null")
    return f"{'_'.join(_words(name))}:{'|'.join(kinds)}"


def _word_shingles(text: str) -> Iterator[str]:
    words = [word for word in _words(text) if word not in _FUNCTION_WORDS]
    for start in range(max(1, len(words) - _RUN + 1)):
        if words:
            yield " ".join(words[start : start + _RUN])


def _words(text: str) -> list[str]:
    """Lower-case words in the singular; "bookingId" and "booking_ids" are both "booking", "id"."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", text)
    return [_singular(word) for word in re.findall(r"\w+", split.casefold())]


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _reason(problem: Exception) -> str:
    if isinstance(problem, ValidationError):
        return f"the environment does not fit this version ({problem.errors()[0]['msg']})"
    return str(problem).splitlines()[0] if str(problem) else type(problem).__name__
