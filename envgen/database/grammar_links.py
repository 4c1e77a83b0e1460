"""Links between patterns: facts of one block the tools of another ("owes more than the cap" blocks lending)."""

from envgen.core.digest import rng
from envgen.core.types import JsonObject
from envgen.database.grammar_compose import Composition
from envgen.database.grammar_lines import refusal

SHARE = 0.4
MOST = 2


def gates_of(work: Composition, pattern: str, tool: JsonObject) -> list[JsonObject]:
    """Return the facts that block `tool`: those of other patterns on its gate that the seed drew, at most two; `always` facts besides."""
    gate = tool.get("gate")
    if gate is None:
        return []
    drawn: list[JsonObject] = []
    always: list[JsonObject] = []
    for owner, data in work.patterns.items():
        for fact in data.get("fact", []):
            if gate not in fact["gates"].split() or (owner == pattern and not fact.get("own")):
                continue
            if fact.get("always"):
                always.append(fact)
            elif rng(work.seed, "link", work.key, fact["name"], tool["key"]).random() < fact.get("p", SHARE):
                drawn.append(fact)
    return always + drawn[:MOST]


def gate_steps(work: Composition, pattern: str, tool: JsonObject) -> list[JsonObject]:
    """Return the forbid steps of the facts that block `tool`."""
    return [
        refusal("forbid", f"{' '.join(fact['sql'].split())} -> {fact['code']}: {fact['text']}", f"fact {fact['name']}")
        for fact in gates_of(work, pattern, tool)
    ]
