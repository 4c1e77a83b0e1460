"""Canonical JSON, content digests and seeded randomness: the same everywhere, for ever."""

import hashlib
import json
import random
from typing import Any


def canonical_json(value: Any) -> str:
    """Return the one JSON text of `value`: sorted keys, no spaces, non-ASCII kept, NaN refused."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def digest(value: Any, *, size: int = 32) -> str:
    """Return the hex BLAKE2b digest (`size` bytes) of `value`'s canonical JSON."""
    return hashlib.blake2b(canonical_json(value).encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def short_id(prefix: str, value: Any) -> str:
    """Return a content id such as `t-3f9a0c52b1d7` for `value`."""
    return f"{prefix}-{digest(value, size=6)}"


def derive_seed(seed: int, *names: object) -> int:
    """Return a 64-bit seed for the part of the work called `names`; independent of any other part's."""
    text = canonical_json([seed, *[str(name) for name in names]])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def rng(seed: int, *names: object) -> random.Random:
    """Return a generator of its own for `names`, so that adding a part never shifts another."""
    return random.Random(derive_seed(seed, *names))
