"""Facts of one pattern that block the tools of another."""

from envgen.database.grammar_compose import compose
from envgen.database.grammar_links import MOST, gate_steps, gates_of


def _tool(work, key):  # type: ignore[no-untyped-def]
    return next((pattern, tool) for pattern, data in work.patterns.items() for tool in data["tool"] if tool["key"] == key)


def test_a_suspended_account_always_blocks() -> None:
    for seed in range(8):
        work = compose("car-rental", seed=seed)
        names = [fact["name"] for fact in gates_of(work, *_tool(work, "loan.lend"))]
        assert "party_suspended" in names
        assert len(names) <= MOST + 1


def test_seeds_draw_different_links_and_never_one_to_itself() -> None:
    drawn = set()
    for seed in range(20):
        work = compose("car-rental", seed=seed)
        names = tuple(fact["name"] for fact in gates_of(work, *_tool(work, "loan.lend")))
        assert "has_overdue" not in names
        drawn.add(names)
    assert len(drawn) > 1


def test_a_fact_becomes_a_forbid_step_that_fills_its_message() -> None:
    work = compose("car-rental", seed=0)
    step = gate_steps(work, *_tool(work, "loan.lend"))[0]
    assert step["else"][0] == "suspended" and "{name}" in step["else"][1]
    assert step["forbid"].startswith("SELECT name FROM customers")


def test_a_tool_without_a_gate_has_no_links() -> None:
    work = compose("car-rental", seed=0)
    assert gate_steps(work, *_tool(work, "loan.return")) == []
