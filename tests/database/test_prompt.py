"""What an agent is shown: no hidden keys, every reason code, the clock."""

import json

from toy import SPEC, spec, tasks

from envgen.database.prompt import first_messages, policy_text, reason_codes, submit_schema, system_message, tool_schema
from envgen.database.spec import EnvironmentSpec

RULES = [
    *SPEC["rules"],
    {
        "id": "no_dogs_on_mondays",
        "kind": "agent",
        "policy": "No dogs leave on Mondays.",
        "sql": "SELECT 1 FROM trace.calls c",
        "tool": "adopt",
    },
]
WITH_RULE = EnvironmentSpec.model_validate({**SPEC, "rules": RULES})


def test_tools_are_openai_functions_without_annotations() -> None:
    shown = tool_schema(spec().tool("adopt"))
    assert shown["type"] == "function"
    assert shown["function"]["parameters"]["additionalProperties"] is False
    assert "x-" not in json.dumps(shown)
    assert "SELECT" not in json.dumps(shown)


def test_reasons_are_the_guards_codes_and_the_agents_rules() -> None:
    assert reason_codes(WITH_RULE) == ("adopted", "no_dogs_on_mondays")
    assert submit_schema(WITH_RULE)["function"]["parameters"]["properties"]["reason"]["enum"] == ["adopted", "no_dogs_on_mondays", None]


def test_the_policy_tells_both_kinds_of_rule_apart() -> None:
    text = policy_text(WITH_RULE)
    follow, enforced = text.split("Rules that the system enforces:")
    assert "No dogs leave on Mondays. (`no_dogs_on_mondays`)" in follow
    assert "An animal has one home." in enforced


def test_the_messages_hold_policy_clock_and_request_and_nothing_else() -> None:
    system = system_message(WITH_RULE, policy_text(WITH_RULE))
    messages = first_messages(system, tasks()[0])
    assert [message.role for message in messages] == ["system", "user"]
    assert "It is 2026-03-02 09:00:00 (UTC)." in messages[0].content
    assert messages[0].content.startswith("You work at the desk of an animal shelter.")
    assert messages[1].content == "Eve would like to adopt Mia."


def test_the_conventions_say_how_texts_are_entered_and_how_an_unmet_condition_ends() -> None:
    # A charge for "a lost card" is compared word for word, and a twin whose condition fails ends in a refusal.
    system = system_message(spec(), "")
    assert "word for word" in system
    assert "condition that does not hold could not be done" in system
