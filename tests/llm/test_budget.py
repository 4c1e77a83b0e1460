import threading
from pathlib import Path

import pytest

from envgen.core.errors import BudgetReached, UsageError
from envgen.llm.budget import Meter, Price, Prices, estimate_tokens, load_prices
from envgen.llm.types import ModelUsage

PRICES = Prices({"openai/m": Price(1.0, 0.1, 10.0)})


def test_the_table_that_ships_has_prices_of_every_large_provider() -> None:
    prices = load_prices()
    assert len(prices.public) > 100
    assert {name.partition("/")[0] for name in prices.public} == {"openai", "anthropic", "gemini", "mistral", "deepseek", "groq", "xai"}
    assert all(0 < price.input <= price.output and price.cached <= price.input for price in prices.public.values())


def test_the_table_says_where_it_is_from() -> None:
    from envgen.core.data import data_path

    head = data_path("templates/prices.toml").read_text(encoding="utf-8").partition("[models]")[0]
    assert "litellm 1.110.2" in head and "USD per million tokens" in head


@pytest.mark.parametrize(
    "name", ["openai/gpt-5-mini", "gpt-5-mini", "gpt-5-mini-2025-08-07", "litellm/openai/gpt-5-mini", "openai/gpt-5-mini-20250807"]
)
def test_a_model_is_found_with_or_without_provider_and_date(name: str) -> None:
    assert load_prices().of(name) == Price(0.25, 0.025, 2.0)


@pytest.mark.parametrize("name", ["gpt-5-mini-turbo", "mini", "anthropic/gpt-5-mini", "", "openai/", "gpt-5-mini-2512"])
def test_a_model_that_is_not_listed_has_no_price(name: str) -> None:
    assert load_prices().of(name) is None


def test_an_endpoint_of_ones_own_has_no_public_price() -> None:
    assert load_prices().of("openai/gpt-5-mini", local=True) is None


def test_own_prices_come_first_and_hold_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"gpt-5-mini" = { input = 1, output = 2 }\n"scripted" = { input = 3, cached = 0, output = 4.5 }\n')
    monkeypatch.setenv("ENVGEN_PRICES", str(file))
    prices = load_prices()
    assert prices.of("openai/gpt-5-mini") == Price(1.0, 1.0, 2.0)
    assert prices.of("openai/scripted", local=True) == Price(3.0, 0.0, 4.5)
    assert prices.of("gpt-5-nano") is not None


@pytest.mark.parametrize(
    "text",
    [
        "[models",
        '[models]\n"m" = 3',
        '[models]\n"m" = { input = 1 }',
        '[models]\n"m" = { input = "1", output = 2 }',
        '[models]\n"m" = { input = -1, output = 2 }',
        '[models]\n"m" = { input = inf, output = 2 }',
        '[models]\n"m" = { input = 1, output = 2, x = 3 }',
    ],
)
def test_a_table_that_cannot_be_read_is_named(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    monkeypatch.setenv("ENVGEN_PRICES", str(file))
    with pytest.raises(UsageError, match=r"prices\.toml"):
        load_prices()


def test_a_table_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVGEN_PRICES", "nowhere.toml")
    with pytest.raises(UsageError, match=r"nowhere\.toml cannot be read"):
        load_prices()


def test_cost_counts_the_cached_part_of_a_prompt_apart() -> None:
    assert Price(1.0, 0.1, 10.0).cost(ModelUsage(1_000_000, 200_000, cached_tokens=400_000)) == pytest.approx(0.6 + 0.04 + 2.0)


def test_an_estimate_is_four_characters_a_token() -> None:
    assert (estimate_tokens(""), estimate_tokens("x" * 400)) == (1, 100)


def test_accounts_are_kept_per_stage() -> None:
    meter = Meter(prices=PRICES)
    meter.add("tools", ModelUsage(100, 10, 0, 0.5))
    meter.add("schema", ModelUsage(20, 2, 0, 0.25))
    meter.add("schema", ModelUsage(20, 2, 0, 0.25), cached=True)
    assert meter.stages() == {
        "schema": {"calls": 1, "cached_calls": 1, "prompt_tokens": 20, "completion_tokens": 2, "usd": 0.25},
        "tools": {"calls": 1, "cached_calls": 0, "prompt_tokens": 100, "completion_tokens": 10, "usd": 0.5},
    }
    assert list(meter.stages()) == ["schema", "tools"]
    assert meter.totals() == {"calls": 2, "cached_calls": 1, "prompt_tokens": 120, "completion_tokens": 12, "usd": 0.75}


def test_an_unknown_price_is_unknown_in_every_sum() -> None:
    meter = Meter(prices=PRICES)
    meter.add("a", ModelUsage(1, 1, 0, 0.5))
    meter.add("b", ModelUsage(1, 1, 0, None))
    assert meter.stages()["a"]["usd"] == 0.5
    assert meter.stages()["b"]["usd"] is None
    assert meter.totals()["usd"] is None


def test_cached_calls_cost_nothing_whatever_the_price() -> None:
    meter = Meter(prices=PRICES)
    meter.add("a", ModelUsage(1, 1, 0, None), cached=True)
    assert meter.totals()["usd"] == 0.0


def test_a_budget_of_tokens_stops_before_the_call_that_would_pass_it() -> None:
    meter = Meter(tokens=100, prices=PRICES)
    with meter.before(60):
        pass
    meter.add("a", ModelUsage(60, 20))
    with meter.before(20):
        pass
    with pytest.raises(BudgetReached, match=r"budget of 100 tokens is reached: 80 are used .* 21\. .*--budget-tokens"), meter.before(21):
        pass


def test_prompts_under_way_count() -> None:
    meter = Meter(tokens=100, usd=1.0, prices=PRICES)
    with meter.before(60, 0.6):
        with pytest.raises(BudgetReached), meter.before(60, 0.1):
            pass
        with pytest.raises(BudgetReached), meter.before(10, 0.6):
            pass
        with meter.before(40, 0.4):
            pass
    with meter.before(100, 1.0):
        pass


def test_a_budget_in_usd_stops_before_the_call_that_would_pass_it() -> None:
    meter = Meter(usd=1.0, prices=PRICES)
    meter.add("a", ModelUsage(1, 1, 0, 0.9))
    with (
        pytest.raises(BudgetReached, match=r"budget of 1\.00 USD .* 0\.9000 are spent .* 0\.2000\. .*--budget-usd") as caught,
        meter.before(1, 0.2),
    ):
        pass
    assert caught.value.exit_code == 1


def test_a_budget_of_nothing_allows_nothing() -> None:
    with pytest.raises(BudgetReached), Meter(tokens=0, prices=PRICES).before(1):
        pass


@pytest.mark.parametrize("wrong", [{"usd": -1.0}, {"usd": float("nan")}, {"usd": float("inf")}, {"tokens": -1}])
def test_a_budget_that_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="at least 0"):
        Meter(prices=PRICES, **wrong)  # type: ignore[arg-type]


def test_a_budget_in_usd_needs_a_price() -> None:
    Meter(usd=1.0, prices=PRICES).require_price("m", local=False)
    Meter(tokens=1, prices=PRICES).require_price("x", local=True)
    with pytest.raises(UsageError, match=r"--budget-usd needs the price of m, .*--budget-tokens.*ENVGEN_PRICES"):
        Meter(usd=1.0, prices=PRICES).require_price("m", local=True)


def test_many_threads_lose_nothing() -> None:
    meter = Meter(prices=PRICES)

    def work() -> None:
        for _ in range(200):
            with meter.before(1):
                meter.add("a", ModelUsage(1, 2, 0, 0.001))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert meter.totals() == {"calls": 1600, "cached_calls": 0, "prompt_tokens": 1600, "completion_tokens": 3200, "usd": pytest.approx(1.6)}
    with Meter(tokens=1, prices=PRICES).before(1):
        pass
