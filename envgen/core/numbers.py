"""Numbers in texts."""

import re

_INTEGER = re.compile(r"-?[0-9]{1,18}")


def integer_of(text: str) -> int | None:
    """Return the integer that a text is, spaces around it aside, or None. At most 18 digits, so that SQLite can hold it."""
    return int(text) if _INTEGER.fullmatch(text.strip()) else None
