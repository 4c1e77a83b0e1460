"""What goes wrong between us and a model, sorted by what to do about it; and how secrets are kept out of every message."""

import email.utils
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, unquote, urlsplit

Kind = Literal["retry", "key", "model", "refused", "unreachable", "fatal"]
RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504, 520, 521, 522, 524, 529})
LONGEST_WAIT = 120.0
_SECRET_NAME = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD|ACCESS_KEY)(_ID)?$", re.IGNORECASE)
_KEY_SHAPE = re.compile(r"\b(?:sk|pk|xai|gsk)[-_][A-Za-z0-9_\-*]{12,}|\bAIza[A-Za-z0-9_\-]{20,}|(?<=Bearer )\S+", re.IGNORECASE)
_EXHAUSTED = ("insufficient_quota", "billing_hard_limit", "exceeded your current quota", "credit balance is too low")


@dataclass
class Failure(Exception):
    """One failed attempt.

    kind: `retry` (it may pass), `key` (wrong or missing key), `model` (no such model), `refused` (the request cannot be served as it is),
    `unreachable`, or `fatal`. text: the provider's words, without secrets, one line. wait: seconds the endpoint asks for.
    """

    kind: Kind
    text: str
    status: int = 0
    wait: float | None = None
    param: str = ""
    code: str = ""

    def __str__(self) -> str:
        return f"HTTP {self.status}: {self.text}" if self.status else self.text


class Scrubber:
    """Takes keys out of texts: the values of variables named like secrets, the password and query of URLs, whatever looks like a key."""

    def __init__(self, *urls: str | None) -> None:
        named = {name: value.strip() for name, value in os.environ.items() if _SECRET_NAME.search(name)}
        found = set(named.values())
        for url in urls:
            parts = urlsplit(url or "")
            found |= {unquote(parts.password or ""), parts.password or "", parts.query}
        self._secrets = _longest_first({form for value in found if len(value) >= 8 for form in (value, quote(value, safe=""))})
        keys = {value for name, value in named.items() if name.upper().endswith("API_KEY")}
        self._keys = _longest_first({value for value in keys if len(value) >= 16})

    def __repr__(self) -> str:
        return f"Scrubber({len(self._secrets)} secrets)"

    def reply(self, text: str) -> str:
        """Return what a model wrote without the API keys themselves, should it repeat one; all else must stay as it is."""
        return _without(self._keys, text)

    def __call__(self, text: str, *, longest: int = 300) -> str:
        """Return `text` as one short line without secrets: for messages and events."""
        line = " ".join(_KEY_SHAPE.sub("[key]", _without(self._secrets, text)).split())
        line = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line)
        return line if len(line) <= longest else line[: longest - 1] + "…"


def _longest_first(secrets: set[str]) -> list[str]:
    return sorted(secrets, key=lambda secret: (-len(secret), secret))


def _without(secrets: list[str], text: str) -> str:
    for secret in secrets:
        text = text.replace(secret, "[key]")
    return text


def of_status(status: int, headers: Mapping[str, str], body: Any, scrub: Scrubber) -> Failure:
    """Return the failure that an HTTP answer of `status` is. body: the decoded JSON, or the text."""
    text, code, param = _words(body)
    line = scrub(text) or "no further words"
    lower = f"{code} {text}".lower()
    if status in (401, 403):
        kind: Kind = "key"
    elif status == 404 or code == "model_not_found" or (status == 400 and "model" in lower and _says_missing(lower)):
        kind = "model"
    elif status == 402 or (status == 429 and any(word in lower for word in _EXHAUSTED)):
        kind = "fatal"
    elif status in RETRIED or status >= 500:
        kind = "retry"
    elif status in (400, 413, 422):
        kind = "refused"
    else:
        kind = "fatal"
    return Failure(kind, line, status, retry_after(headers), param, code)


def _says_missing(lower: str) -> bool:
    return any(words in lower for words in ("does not exist", "not found", "no such model", "unknown model", "invalid model"))


def _words(body: Any) -> tuple[str, str, str]:
    """Return the text, code and parameter of an error body, in the shapes that OpenAI, vLLM and FastAPI servers give it."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        text = error.get("message") or error.get("detail") or error.get("msg") or error
        return str(text), str(error.get("code") or error.get("type") or ""), str(error.get("param") or "")
    return str(error if error is not None else ""), "", ""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that `Retry-After` (seconds or an HTTP date) or `retry-after-ms` asks for, None without a usable one."""
    milliseconds, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            seconds = float(milliseconds) / 1000
        elif value is not None:
            seconds = float(value)
        else:
            return None
    except ValueError:
        moment = email.utils.parsedate_tz(value or "")
        if moment is None:
            return None
        seconds = email.utils.mktime_tz(moment) - time.time()
    return max(0.0, seconds) if seconds < float("inf") else None
