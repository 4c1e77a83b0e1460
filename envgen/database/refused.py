"""Texts that are no statements for a world: refused before SQLite or a parser sees them."""

import re

# The words that a statement may begin with, after spaces and comments.
_BEGINS = re.compile(r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*(SELECT|WITH|VALUES|INSERT|UPDATE|DELETE|REPLACE)\b", re.IGNORECASE | re.DOTALL)
LONGEST = 20_000


def refused_text(sql: str) -> str:
    """Return why `sql` is not even to be prepared, or "": SQLite carries some pragmas out, for the whole process, when it prepares them."""
    if len(sql) > LONGEST:
        return f"a statement of {len(sql)} characters; at most {LONGEST}"
    if "\0" in sql:
        return "a statement holds no NUL character"
    if not sql.isascii() and any(0xD800 <= ord(sign) < 0xE000 for sign in sql):
        return "a statement holds no lone surrogates"
    return "" if _BEGINS.match(sql) else "a statement begins with SELECT, WITH, INSERT, UPDATE or DELETE"
