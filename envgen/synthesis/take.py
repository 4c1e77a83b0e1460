"""Replies taken into the parts of an environment: tools and rules by name, malformed ones apart."""

from collections.abc import Sequence

from envgen.database.model.assemble import Parts
from envgen.database.model.prompts import tool_source
from envgen.database.model.rules import guard_rule, procedure_rule, prohibition_rule
from envgen.database.model.tools import Malformed, tool_of
from envgen.database.model.wire import GuardRule, Procedure, Prohibition, WireRules, WireTools
from envgen.database.spec import Rule
from envgen.synthesis.talk import Talk


def take_tools(parts: Parts, reply: WireTools) -> list[str]:
    """Add the tools of a reply, in the place of those of the same name, and return their names. Malformed ones are kept for repair."""
    taken = []
    for wire in reply.tools:
        taken.append(wire.name)
        try:
            tool = tool_of(wire, parts.tables)
        except Malformed as problem:
            parts.malformed[wire.name] = (wire.model_dump_json(), str(problem))
            continue
        parts.malformed.pop(wire.name, None)
        places = [index for index, other in enumerate(parts.tools) if other.name == tool.name]
        if places:
            parts.tools[places[0]] = tool
        else:
            parts.tools.append(tool)
    return taken


def take_rules(talk: Talk, parts: Parts, reply: WireRules) -> None:
    """Add the rules of a reply, in the place of those with the same id; one that is malformed is dropped."""
    given: list[GuardRule | Procedure | Prohibition] = [*reply.guards, *reply.procedures, *reply.prohibitions]
    for wire in given:
        try:
            rule = _rule(wire, parts)
        except Malformed as problem:
            talk.drop("rule", wire.id, str(problem))
            continue
        parts.rules[:] = [other for other in parts.rules if other.id != rule.id] + [rule]


def _rule(wire: GuardRule | Procedure | Prohibition, parts: Parts) -> Rule:
    if isinstance(wire, GuardRule):
        return guard_rule(wire)
    if isinstance(wire, Procedure):
        return procedure_rule(wire, parts.tools)
    return prohibition_rule(wire, parts.tools)


def sources_of(parts: Parts, names: Sequence[str]) -> dict[str, str]:
    """Return the tools called `names` as their author wrote them, malformed ones included."""
    known = {tool.name: tool_source(tool) for tool in parts.tools if tool.name in names}
    return {name: known.get(name) or parts.malformed[name][0] for name in names if name in known or name in parts.malformed}


def without_tool(parts: Parts, name: str) -> list[str]:
    """Take a tool out, and return the ids of the rules that cannot be without it, taken out as well."""
    parts.tools[:] = [tool for tool in parts.tools if tool.name != name]
    parts.malformed.pop(name, None)
    parts.examples.pop(name, None)
    orphans = [rule.id for rule in parts.rules if name in (rule.tool, rule.fix.tool if rule.fix else None)]
    kept = (rule for rule in parts.rules if rule.id not in orphans)
    parts.rules[:] = [rule.model_copy(update={"facts": tuple(fact for fact in rule.facts if fact.tool != name)}) for rule in kept]
    return orphans
