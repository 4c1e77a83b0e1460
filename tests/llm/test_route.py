import pytest

from envgen.core.errors import UsageError
from envgen.llm.route import clean_url, route_of
from envgen.llm.types import ModelSettings

URL = "http://127.0.0.1:8000/v1"


@pytest.fixture(autouse=True)
def no_base_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.mark.parametrize(
    ("model", "url", "sdk", "name", "local"),
    [
        ("openai/gpt-5-mini", None, "openai", "gpt-5-mini", False),
        ("gpt-5-mini", None, "openai", "gpt-5-mini", False),
        ("gpt-5-mini", "https://api.openai.com/v1", "openai", "gpt-5-mini", False),
        ("anthropic/claude-sonnet-4-5", None, "litellm", "anthropic/claude-sonnet-4-5", False),
        ("gemini/gemini-2.5-flash", None, "litellm", "gemini/gemini-2.5-flash", False),
        ("litellm/openai/scripted", URL, "litellm", "openai/scripted", True),
        ("openai/scripted", URL, "openai", "scripted", True),
        ("anthropic/claude-sonnet-4-5", URL, "openai", "anthropic/claude-sonnet-4-5", True),
        ("HuggingFaceTB/SmolLM2-135M-Instruct", URL, "openai", "HuggingFaceTB/SmolLM2-135M-Instruct", True),
        ("openai/openai/gpt-oss-20b", URL, "openai", "openai/gpt-oss-20b", True),
    ],
)
def test_prefix_and_base_url_choose_the_road(model: str, url: str | None, sdk: str, name: str, local: bool) -> None:
    route = route_of(ModelSettings(model, base_url=url))
    assert (route.sdk, route.model, route.base_url, route.local) == (sdk, name, url, local)


def test_the_sdks_own_variable_counts_as_base_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", URL)
    assert route_of(ModelSettings("openai/gpt-5-mini")).local
    assert not route_of(ModelSettings("anthropic/claude-sonnet-4-5")).local


@pytest.mark.parametrize("model", ["", "  ", "openai/", "litellm/"])
def test_a_name_without_a_model_is_refused(model: str) -> None:
    with pytest.raises(UsageError, match="names no model"):
        route_of(ModelSettings(model))


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://a/v1", "http://", "http://a:99999/v1", "http://[::1/v1", "/v1"])
def test_what_is_no_http_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="is no HTTP address"):
        route_of(ModelSettings("m", base_url=url))


def test_a_user_and_password_become_a_header() -> None:
    for model in ("m", "litellm/openai/m"):
        route = route_of(ModelSettings(model, base_url="https://me:s%2Fcret@example.org/v1"))
        assert (route.base_url, route.basic) == ("https://example.org/v1", "Basic bWU6cy9jcmV0")
        assert "bWU6" not in repr(route)


def test_an_address_is_shown_without_its_secrets() -> None:
    assert clean_url("https://me:secret@example.org:8000/v1/?api-key=secret#x") == "https://example.org:8000/v1"
    assert "secret" not in route_of(ModelSettings("m", base_url="https://me:secret@example.org/v1?k=secret")).endpoint
