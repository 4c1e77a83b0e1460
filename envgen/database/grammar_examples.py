"""Tested examples of tools: written out, as one-line cases, and one for each linked fact that blocks the tool.

A case is a line `CODE WORDS | SETUP; SETUP | NAME=JSON, NAME=JSON`. CODE is the refusal expected, or `ok`; WORDS say the situation. A
setup is SQL, `@sample` for the statements of a pattern's `[samples]` (which may name others in turn; none is run twice), or
`TABLE: ASSIGNMENTS`, an update of the sample row of that table, 900001 (`TABLE 900002: …` for another one).
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from envgen.core.errors import SpecError
from envgen.core.types import JsonObject
from envgen.database.grammar_lines import joined
from envgen.database.spec import Example, Tool

FIRST = 900001
_UPDATE = re.compile(r"(\w+)(?: (\d+))?: (.*)", re.DOTALL)
_WRITES = re.compile(r"(?:INSERT INTO|UPDATE) (\w+)")
_NAME = re.compile(r"(?:^|(?<=, ))(\w+)=")
Samples = Mapping[str, str | Sequence[str]]


def examples(tool: JsonObject, samples: Samples, facts: Sequence[JsonObject], where: str) -> list[JsonObject]:
    """Return the examples of a rendered tool, ready for `Example`: its own first, then one refusal by each of `facts`.

    SpecError names the example that is not JSON, uses an unknown sample, or is missing for a fact to build on.
    """
    entries = [*tool.get("example", []), *(_case(line, where) for line in joined(tool.get("cases", "")))]
    own = [_example(entry, samples, where) for entry in entries]
    return own + [_blocked(fact, own, samples, where) for fact in facts if "setup" in fact]


def _case(line: str, where: str) -> JsonObject:
    parts = [part.strip() for part in line.split(" | ")]
    code, _, given = parts[0].partition(" ")
    if len(parts) != 3 or not given:
        raise SpecError(where, f"a case is `code words | setup; setup | name=json`, not {line!r}")
    expect = {} if code == "ok" else {"error": code}
    arguments = "{" + _NAME.sub(r'"\1": ', parts[2]) + "}"
    return {"given": given, "setup": [part.strip() for part in parts[1].split(";")], "args": arguments, "expect": json.dumps(expect)}


def _example(entry: JsonObject, samples: Samples, where: str) -> JsonObject:
    try:
        args, expect = json.loads(entry["args"]), json.loads(entry["expect"])
    except json.JSONDecodeError as problem:
        raise SpecError(where, f"the example {entry['given']!r} is not JSON: {problem}") from problem
    setup = _setup(entry.get("setup", []), samples, entry["given"], where)
    return {"given": entry["given"], "args": args, "expect": expect, "setup": setup}


def _blocked(fact: JsonObject, own: Sequence[JsonObject], samples: Samples, where: str) -> JsonObject:
    """The first example that succeeds, with the fact made true."""
    base = next((example for example in own if "error" not in example["expect"]), None)
    if base is None:
        raise SpecError(where, f"no example succeeds, so none can show how {fact['name']} blocks it")
    setup = _setup(fact["setup"], samples, fact["name"], where)
    return {**base, "given": fact["given"], "setup": list(dict.fromkeys([*base["setup"], *setup])), "expect": {"error": fact["code"]}}


def _setup(entries: Sequence[str], samples: Samples, given: str, where: str) -> list[str]:
    try:
        return list(dict.fromkeys(sql for entry in entries for sql in _statements(entry, samples)))
    except KeyError as problem:
        raise SpecError(where, f"the example {given!r} uses a sample that no pattern has: {problem}") from problem


def _statements(entry: str, samples: Samples) -> Iterator[str]:
    update = _UPDATE.fullmatch(entry)
    if entry.startswith("@"):
        sample = samples[entry[1:]]
        for part in [sample] if isinstance(sample, str) else sample:
            yield from _statements(part, samples)
    elif update:
        yield f"UPDATE {update[1]} SET {' '.join(update[3].split())} WHERE id = {update[2] or FIRST}"
    elif entry:
        yield " ".join(entry.split())


def share_setups(tools: Sequence[Tool]) -> tuple[list[Tool], dict[str, str]]:
    """Return the tools with each setup statement that two examples have as "@name", and the statements by name.

    A name is the table that the statement writes, with a number from the second one on.
    """
    found = Counter(sql for tool in tools for example in tool.examples for sql in example.setup)
    names: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for sql in (sql for sql, count in found.items() if count > 1):
        table = _WRITES.match(sql)
        stem = table[1] if table else "sample"
        taken[stem] += 1
        names[sql] = stem if taken[stem] == 1 else f"{stem}_{taken[stem]}"
    return [_shared(tool, names) for tool in tools], {name: sql for sql, name in names.items()}


def _shared(tool: Tool, names: Mapping[str, str]) -> Tool:
    def short(example: Example) -> Example:
        return example.model_copy(update={"setup": tuple(f"@{names[sql]}" if sql in names else sql for sql in example.setup)})

    return tool.model_copy(update={"examples": tuple(map(short, tool.examples))})
