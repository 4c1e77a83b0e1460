"""Shared by the tests of the model client: no settings from outside, and a key that must turn up nowhere."""

from collections.abc import Callable

import pytest

from envgen.core.events import Event
from envgen.llm.types import ModelRequest

KEY = "sk-sentinel-0123456789abcdefghij"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_BASE_URL",
        "ENVGEN_PRICES",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def events() -> list[Event]:
    """What was told; `events.append` is an `Events`."""
    return []


@pytest.fixture
def asking() -> Callable[..., ModelRequest]:
    """Makes a request that says one thing."""

    def request(text: str = "hello", stage: str = "schema", **rest: object) -> ModelRequest:
        return ModelRequest(stage, ({"role": "user", "content": text},), **rest)  # type: ignore[arg-type]

    return request
