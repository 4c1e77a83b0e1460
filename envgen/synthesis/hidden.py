"""Instructions hidden in replies: texts that speak to the agent instead of being about the business are left out, and said so."""

import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel

from envgen.database.model.assemble import speaks_to_agent
from envgen.database.model.wire import GuardRule, Procedure, Prohibition, WireRules, WireTools
from envgen.synthesis.talk import Talk

T = TypeVar("T", bound=BaseModel)
HIDDEN = "it speaks to the agent instead of being about the business"
# Descriptions of tools and rules may well say "use the tool …"; what they never do is to set other instructions aside.
_OVERRIDES = re.compile(
    r"\b(ignore|disregard|forget|override) (\w+ ){0,4}(instructions?|prompts?|messages?|polic(y|ies))\b|\bsystem prompt\b", re.IGNORECASE
)


def overrides(text: str) -> bool:
    """True for a text that tells its reader to set instructions aside."""
    return _OVERRIDES.search(text) is not None


def clean_texts(reply: T) -> tuple[T, list[str]]:
    """Return a reply without the texts in its lists that speak to the agent, and those texts.

    In a list of texts the text goes; in a list of records the record goes whose own fields hold it.
    """
    data = reply.model_dump()
    found: list[str] = []
    _clean(data, found)
    return (type(reply).model_validate(data), found) if found else (reply, [])


def _clean(value: Any, found: list[str]) -> None:
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(part, list):
            hidden = [(item, text) for item in part for text in _own_texts(item) if speaks_to_agent(text)]
            found += [text for _, text in hidden]
            part[:] = [item for item in part if not any(item is other for other, _ in hidden)]
        _clean(part, found)


def _own_texts(item: Any) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    elif isinstance(item, dict):
        yield from (value for value in item.values() if isinstance(value, str))


def without_texts(talk: Talk, reply: T) -> T:
    """Return a reply without the texts that speak to the agent, each of which is reported."""
    clean, hidden = clean_texts(reply)
    for text in hidden:
        talk.drop("text", text[:60], HIDDEN)
    return clean


def without_tools(talk: Talk, reply: WireTools) -> WireTools:
    """Return a reply without the tools that hold such a text anywhere, their SQL included; each is reported."""
    hidden = [tool.name for tool in reply.tools if overrides(tool.model_dump_json())]
    for name in hidden:
        talk.drop("tool", name, HIDDEN)
    return reply.model_copy(update={"tools": [tool for tool in reply.tools if tool.name not in hidden]}) if hidden else reply


def without_rules(talk: Talk, reply: WireRules) -> WireRules:
    """Return a reply without the rules that hold such a text; each is reported."""
    given: list[GuardRule | Procedure | Prohibition] = [*reply.guards, *reply.procedures, *reply.prohibitions]
    hidden = {rule.id for rule in given if overrides(rule.model_dump_json())}
    for name in sorted(hidden):
        talk.drop("rule", name, HIDDEN)
    return WireRules(
        guards=[rule for rule in reply.guards if rule.id not in hidden],
        procedures=[rule for rule in reply.procedures if rule.id not in hidden],
        prohibitions=[rule for rule in reply.prohibitions if rule.id not in hidden],
    )
