"""Writes `templates/prices.toml` from the price file that ships inside litellm. For maintainers, after a new litellm is pinned.

    python benchmarks/prices.py            writes the table
    python benchmarks/prices.py --check    says whether the table is in step with the litellm installed; exit 1 when it is not

Nothing is downloaded. Models that answer chats at the providers' own endpoints are taken; a dated name is left out where the name
without its date has the same prices, since a look-up takes the date off.
"""

import argparse
import importlib.metadata
import json
import re
import sys
from pathlib import Path
from typing import Any

PROVIDERS = ("openai", "anthropic", "gemini", "mistral", "deepseek", "groq", "xai")
TABLE = Path(__file__).resolve().parents[1] / "templates" / "prices.toml"
_OTHER = re.compile(r"audio|realtime|tts|transcribe|image|ft:|search|container|computer-use|robotics|lyria|omni|embed|guard")
_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")
HEAD = """\
# USD per million tokens: of the prompt (input), of the part of it that the provider has in its cache (cached), of the answer (output).
# Taken from model_prices_and_context_window_backup.json inside litellm {version}, by `python benchmarks/prices.py`.
# List prices for short prompts: batch, priority and long-context prices differ, and so may yours.
# ENVGEN_PRICES=FILE.toml names a file of this form that overrides these and adds others, of endpoints of your own too.

[models]
"""


def source() -> dict[str, dict[str, Any]]:
    """Return litellm's price file, without importing litellm."""
    found = importlib.metadata.distribution("litellm")
    path = found.locate_file("litellm/model_prices_and_context_window_backup.json")
    prices: dict[str, dict[str, Any]] = json.loads(Path(str(path)).read_text(encoding="utf-8"))
    return prices


def million(value: float) -> float:
    return float(f"{value * 1_000_000:.6g}")


def rows() -> dict[str, dict[str, float]]:
    """Return {provider/model: prices}, sorted by provider and name."""
    found: dict[str, dict[str, float]] = {}
    for name, entry in source().items():
        provider = entry.get("litellm_provider")
        if provider not in PROVIDERS or entry.get("mode") != "chat" or _OTHER.search(name):
            continue
        cost, answer = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
        if not cost or not answer:
            continue
        cached = entry.get("cache_read_input_token_cost") or cost
        found[f"{provider}/{name.removeprefix(f'{provider}/')}"] = {
            "input": million(cost),
            "cached": million(cached),
            "output": million(answer),
        }
    kept = {name: row for name, row in found.items() if not (_DATED.search(name) and found.get(_DATED.sub("", name)) == row)}
    return dict(sorted(kept.items(), key=lambda item: (PROVIDERS.index(item[0].partition("/")[0]), item[0])))


def table() -> str:
    lines = [f'"{name}" = {{ {", ".join(f"{key} = {value}" for key, value in row.items())} }}' for name, row in rows().items()]
    return HEAD.format(version=importlib.metadata.version("litellm")) + "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes templates/prices.toml from the litellm installed.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the table is not in step")
    text = table()
    if parser.parse_args().check:
        in_step = TABLE.read_text(encoding="utf-8") == text
        print("in step" if in_step else "not in step: run python benchmarks/prices.py")
        sys.exit(0 if in_step else 1)
    TABLE.write_text(text, encoding="utf-8")
    print(f"{TABLE}: {len(rows())} models")


if __name__ == "__main__":
    main()
