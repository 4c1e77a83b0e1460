"""Seeds by hash: every program, instance and step draws from dice of its own, and neighbouring seeds share nothing."""

import hashlib
import json
import random
from typing import Any


def seed_of(*parts: Any) -> int:
    """Return 128 bits of blake2b over the parts as JSON; never Python's `hash`, never seed + index."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "big")


def dice(*parts: Any) -> random.Random:
    """Return dice that belong to these parts alone."""
    return random.Random(seed_of(*parts))


def name_of(value: Any, size: int = 8) -> str:
    """Return a short hash of a JSON value, the same in every process: hex, 2 * size characters."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()
