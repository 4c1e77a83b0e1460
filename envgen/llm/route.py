"""From settings to the road a request takes: which SDK, which endpoint, under which model name."""

import base64
import os
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, urlsplit, urlunsplit

from envgen.core.errors import UsageError
from envgen.llm.types import ModelSettings

OPENAI_HOST = "api.openai.com"


@dataclass(frozen=True, slots=True)
class Route:
    """sdk: what sends the request. model: the name as the SDK gets it. base_url: None for the provider's own endpoint.

    local: the endpoint is the user's own, so that no public price holds. provider: for messages and for the cache's key.
    basic: the Authorization header that a user and password in the URL amount to. They are taken out of base_url, since HTTP
    libraries log addresses.
    """

    sdk: Literal["openai", "litellm"]
    model: str
    base_url: str | None
    provider: str
    basic: str = field(default="", repr=False)

    @property
    def local(self) -> bool:
        return self.base_url is not None and urlsplit(self.base_url).hostname != OPENAI_HOST

    @property
    def endpoint(self) -> str:
        """The endpoint without anything secret: a URL, or the provider's name."""
        return clean_url(self.base_url) if self.base_url else self.provider


def clean_url(url: str) -> str:
    """Return `url` without user, password, query and fragment: what may be shown and stored."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))


def route_of(settings: ModelSettings) -> Route:
    """Return the route of `settings`; UsageError when model or base_url cannot be.

    OPENAI_BASE_URL, which the openai SDK reads, counts as a base_url for OpenAI's models.
    """
    name = settings.model.strip()
    if not name or name.endswith("/"):
        raise UsageError(f"--model {settings.model!r} names no model; give one such as openai/gpt-5-mini")
    own = _checked(settings.base_url)
    if name.startswith("litellm/"):
        inner = name.removeprefix("litellm/")
        url, basic = _bare(own)
        return Route("litellm", inner, url, f"litellm, {inner.partition('/')[0]}", basic)
    if own or name.startswith("openai/") or "/" not in name:
        url, basic = _bare(own or _checked(os.environ.get("OPENAI_BASE_URL")))
        return Route("openai", name.removeprefix("openai/"), url, "openai", basic)
    return Route("litellm", name, None, name.partition("/")[0])


def _bare(url: str | None) -> tuple[str | None, str]:
    """Return `url` without its user and password, and the header that says them."""
    parts = urlsplit(url or "")
    if url is None or "@" not in parts.netloc:
        return url, ""
    said = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    bare = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    return bare, f"Basic {base64.b64encode(said.encode()).decode()}"


def _checked(url: str | None) -> str | None:
    """Return `url` without spaces around it, None when empty; UsageError when it is no HTTP address."""
    text = (url or "").strip()
    if not text:
        return None
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound:
        raise UsageError(f"--base-url {text.rpartition('@')[2]!r} is no HTTP address; give one such as http://127.0.0.1:8000/v1")
    return text
