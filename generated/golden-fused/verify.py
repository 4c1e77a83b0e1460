#!/usr/bin/env python3
"""Judge a reply to a task of this bundle. Standard library only.

    python verify.py --task ID --reply reply.txt          the text of a reply: its last <answer> block counts
    python verify.py --task ID --answer '[1, 2, 3]'       an answer as JSON

Prints a verdict as JSON. Exit status: 0 solved, 1 not solved, 2 wrong usage. `--bundle` names the folder that holds gold.jsonl (this one).
"""

import argparse
import json
import re
import sys
import unicodedata
from datetime import date
from fractions import Fraction
from pathlib import Path

BLOCK = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
INTEGER = re.compile(r"[+-]?\d{1,400}")
RATIONAL = re.compile(r"([+-]?\d{1,200})(?:\s*/\s*(\d{1,200}))?")
LONGEST = 20_000
NOTHING = object()


def extract(text):
    """Return (content of the answer block, "") or (None, why)."""
    blocks = [block.strip() for block in BLOCK.findall(text.rsplit("</think>", 1)[-1])]
    if not blocks:
        return None, "no answer block"
    if len(set(blocks)) > 1:
        return None, "two answers that differ"
    return (blocks[-1], "") if len(blocks[-1]) <= LONGEST else (None, "the answer is too long")


def no_float(text):
    raise ValueError(text)


def parse(text):
    """Return the JSON value of a text, or the text itself."""
    try:
        return json.loads(text, parse_float=no_float, parse_constant=no_float)
    except (ValueError, RecursionError):
        return text


def normal(value, kind):
    """Return `value` in the one spelling of its type, NOTHING when it is none."""
    name = kind["type"]
    if name == "int":
        if type(value) is int:
            return value
        return int(value.strip()) if isinstance(value, str) and INTEGER.fullmatch(value.strip()) else NOTHING
    if name == "bool":
        return value if type(value) is bool else {"true": True, "false": False}.get(str(value).strip().lower(), NOTHING)
    if name == "rational":
        match = RATIONAL.fullmatch(str(value).strip()) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
        if match is None or (match[2] and int(match[2]) == 0):
            return NOTHING
        found = Fraction(int(match[1]), int(match[2] or 1))
        return f"{found.numerator}/{found.denominator}"
    if name in ("list", "tuple"):
        return listed(value, kind)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return NOTHING
    text = unicodedata.normalize("NFC", value)
    if name == "enum":
        return next((known for known in kind["values"] if known.lower() == text.strip().lower()), NOTHING)
    return text if name == "str" else text.strip()


def listed(value, kind):
    if isinstance(value, str):
        value = [part for part in re.split(r"[\s,]+", value.strip().strip("[]()")) if part]
    if not isinstance(value, list) or len(value) > 10_000:
        return NOTHING
    inner = kind["items"] if kind["type"] == "tuple" else [kind["item"]] * len(value)
    if len(inner) != len(value):
        return NOTHING
    found = [normal(item, each) for item, each in zip(value, inner)]  # noqa: B905 - of equal length
    return NOTHING if any(item is NOTHING for item in found) else found


def same(one, other):
    """True for equal values of equal types: 1 and true differ."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other))  # noqa: B905 - of equal length
    return type(one) is type(other) and one == other


def judge(value, gold, kind):
    """Return (reward, why). A value that equals the gold answer has its type, so bounds need no check."""
    found = normal(value, kind)
    if found is NOTHING:
        return 0.0, "not of the type asked for"
    if kind["type"] == "date":
        try:
            date.fromisoformat(found)
        except ValueError:
            return 0.0, "not of the type asked for"
    return (1.0, "") if same(found, gold) else (0.0, "wrong")


def verdict(gold, *, reply=None, answer=None):
    """Return the verdict on a reply's text, or on an answer as JSON text."""
    kind, truth = gold["answer_origin"]["type"], gold["answer"]["value"]
    if reply is not None:
        block, why = extract(reply)
        reward, why = (0.0, why) if block is None else judge(parse(block), truth, kind)
    else:
        reward, why = judge(parse(answer), truth, kind)
    return {
        "status": "valid",
        "reward": reward,
        "solved": reward == 1.0,
        "checks": [{"name": "answer", "passed": reward == 1.0, "detail": why}],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--task", required=True)
    parser.add_argument("--bundle", type=Path, default=Path(__file__).resolve().parent)
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--reply", type=Path)
    given.add_argument("--answer")
    chosen = parser.parse_args()
    with open(chosen.bundle / "gold.jsonl", encoding="utf-8") as file:
        gold = next((row for row in map(json.loads, file) if row["task"] == chosen.task), None)
    if gold is None:
        parser.error(f"no task {chosen.task} in {chosen.bundle}")
    reply = chosen.reply.read_text(encoding="utf-8") if chosen.reply else None
    found = verdict(gold, reply=reply, answer=chosen.answer)
    print(json.dumps(found))
    return 0 if found["solved"] else 1


if __name__ == "__main__":
    sys.exit(main())
