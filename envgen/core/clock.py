"""World time: UTC text, `YYYY-MM-DD HH:MM:SS` or `YYYY-MM-DD`, never the wall clock."""

import re
from datetime import datetime, timedelta

DATE = "%Y-%m-%d"
DATE_TIME = "%Y-%m-%d %H:%M:%S"
_SHAPE = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?", re.ASCII)


def parse_time(text: str) -> datetime:
    """Parse world time. ValueError on any other shape or an impossible day such as 2026-02-30."""
    if not _SHAPE.fullmatch(text):
        raise ValueError(f"{text!r} is not YYYY-MM-DD or YYYY-MM-DD HH:MM:SS")
    return datetime.strptime(text, DATE if len(text) == 10 else DATE_TIME)


def is_date(text: str) -> bool:
    """True for a real calendar day written YYYY-MM-DD."""
    return len(text) == 10 and _is_time(text)


def is_date_time(text: str) -> bool:
    """True for a real moment written YYYY-MM-DD HH:MM:SS."""
    return len(text) == 19 and _is_time(text)


def _is_time(text: str) -> bool:
    try:
        parse_time(text)
    except ValueError:
        return False
    return True


def shift(text: str, **delta: float) -> str:
    """Return `text` moved by a `timedelta(**delta)`, in the same shape."""
    return (parse_time(text) + timedelta(**delta)).strftime(DATE if len(text) == 10 else DATE_TIME)
