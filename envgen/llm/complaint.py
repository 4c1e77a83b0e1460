"""From a failure to the one error that the user reads: which model, which endpoint, what went wrong, what to do."""

from urllib.parse import urlsplit

from envgen.core.errors import EnvgenError, InfrastructureError, ModelError, RequestRefused, UsageError
from envgen.llm.failure import Failure
from envgen.llm.openai_sdk import KEY
from envgen.llm.route import Route

_MOST_MODELS = 6


def complaint(failure: Failure, route: Route, *, served: list[str], attempts: int) -> EnvgenError:
    """Return the error for `failure`. served: the models that the endpoint names; attempts: how many were made at most."""
    where = f"{route.model} at {route.endpoint}"
    if failure.kind == "key":
        return UsageError(f"{where}: {_key_trouble(failure)}. Set {_key_name(route)} to a key of this endpoint that may use this model")
    if failure.kind == "model":
        return UsageError(f"{where}: there is no such model ({failure}). {_choice(route, served)}")
    if failure.kind == "unreachable":
        return InfrastructureError(f"{where}: nothing answers there: {failure}. {_start(route)}")
    if failure.kind == "refused":
        return RequestRefused(f"{where}: the endpoint refuses the request ({failure}). Check the model's context length and its parameters")
    if failure.kind == "retry":
        return ModelError(f"{where}: still failing after {attempts} attempts ({failure}). What is done is kept; run again to go on")
    return ModelError(f"{where}: the request failed for good ({failure}). Check the account and the endpoint, then run again to go on")


def _key_trouble(failure: Failure) -> str:
    """Say what is wrong without the provider's words for a wrong key, which repeat parts of it."""
    if failure.status == 403:
        return f"the key may not do this ({failure})"
    return "the key is missing or wrong" + (f" (HTTP {failure.status})" if failure.status else "")


def _key_name(route: Route) -> str:
    provider = route.model.partition("/")[0]
    if route.sdk == "openai" or provider == "openai":
        return KEY
    return f"{provider.upper().replace('-', '_')}_API_KEY"


def _choice(route: Route, served: list[str]) -> str:
    if served:
        more = f" and {len(served) - _MOST_MODELS} more" if len(served) > _MOST_MODELS else ""
        return f"The endpoint serves {', '.join(served[:_MOST_MODELS])}{more}: choose one with --model (a leading openai/ is taken off)"
    if route.base_url is not None:
        return "Check --model and --base-url, which usually ends in /v1"
    return "Check --model; for an endpoint of your own give --base-url"


def _start(route: Route) -> str:
    if not route.local or route.base_url is None:
        return "Check the network connection"
    port = urlsplit(route.base_url).port or 8000
    return f"Check --base-url, or start a server there:\n  vllm serve {route.model.removeprefix('openai/')} --port {port}"
