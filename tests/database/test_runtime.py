"""Sessions: bad calls are results, refused calls change nothing, forks carry their base, threads are told apart."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import SPEC, gold, spec, tasks, world

from envgen.core.errors import ConcurrentUse, SessionClosed, UsageError
from envgen.core.types import RowPatch, Start, Task
from envgen.database.engine import native
from envgen.database.runtime import DatabaseEnvironment, DatabaseSession
from envgen.database.spec import EnvironmentSpec


@pytest.fixture(scope="module")
def environment() -> DatabaseEnvironment:
    return DatabaseEnvironment(spec(), native(world()), tasks=tasks(), gold={item.task: item for item in gold()})


@pytest.fixture
def session(environment: DatabaseEnvironment) -> Iterator[DatabaseSession]:
    with environment.start(environment.task("t-adopt")) as open_session:
        yield open_session


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


NAMES = st.sampled_from(["animal_id", "person", "kind", "outcome", "x"])
BAD_ARGUMENTS = [
    None, [], "x", 7, True, {}, {"animal_id": 1}, {"animal_id": 1, "person": "Eve", "extra": 1}, {"animal_id": "1", "person": "Eve"},
    {"animal_id": None, "person": "Eve"}, {"animal_id": True, "person": "Eve"}, {"animal_id": 1.5, "person": "Eve"},
    {"animal_id": float("nan"), "person": "Eve"}, {"animal_id": float("inf"), "person": "Eve"}, {"animal_id": 10**30, "person": "Eve"},
    {"animal_id": -(10**30), "person": "Eve"}, {"animal_id": 1, "person": "\ud800"}, {"animal_id": 1, "person": "a\0b"},
    {"animal_id": 1, "person": "x" * 1_000_000}, {"animal_id": 1, "person": ["Eve"]}, {"animal_id": deep(1000), "person": "Eve"},
    {"animal_id": 1, "person": deep(1000)}, {"animal_id": 10**5000, "person": "Eve"}, {1: 2}, {"animal_id": object(), "person": "Eve"},
]  # fmt: skip


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=range(len(BAD_ARGUMENTS)))
def test_bad_arguments_are_a_result_and_change_nothing(session: DatabaseSession, arguments: Any) -> None:
    before = session.snapshot().digest
    result = session.call("adopt", arguments)
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert json.loads(result.content)["error"]["code"] == "invalid_arguments"
    assert "Traceback" not in result.content
    assert ".py" not in result.content
    assert session.snapshot().digest == before
    result.content.encode("utf-8")


@pytest.mark.parametrize("name", ["adpt", "", "close", "__init__", "x" * 100_000, None, 7, "\ud800", deep(3000), 10**5000], ids=range(10))
def test_an_unknown_tool_is_a_result(session: DatabaseSession, name: Any) -> None:
    result = session.call(name, {})
    assert result.error is not None
    assert result.error.code == "unknown_tool"
    assert len(result.content) < 1000
    result.content.encode("utf-8")


def test_an_unknown_tool_names_the_nearest(session: DatabaseSession) -> None:
    error = session.call("adpt", {}).error
    assert error is not None
    assert "Did you mean adopt?" in error.message


def test_sql_in_a_string_is_a_string(session: DatabaseSession) -> None:
    text = "'); DROP TABLE animals; --"
    assert session.call("adopt", {"animal_id": 1, "person": text}).ok
    assert session.changes().insert["adoptions"][0]["person"] == text


def test_a_refused_call_undoes_what_its_earlier_steps_did() -> None:
    data = json.loads(json.dumps(SPEC))
    steps = data["tools"][1]["steps"]
    # The row is written first and the guard refuses afterwards: the call must leave nothing, the id counter included.
    guard = steps.pop(1)
    steps.insert(3, guard)
    environment = DatabaseEnvironment(EnvironmentSpec.model_validate(data), native(world()), tasks=tasks())
    with environment.start(environment.tasks()[0]) as session:
        counter = session.connection.execute("SELECT next FROM _ids").fetchall()
        result = session.call("adopt", {"animal_id": 4, "person": "Eve"})
        assert result.error is not None
        assert result.error.code == "adopted"
        assert session.changes().insert == {}
        assert session.connection.execute("SELECT next FROM _ids").fetchall() == counter


def test_oracle_scores_one_and_doing_nothing_scores_zero(environment: DatabaseEnvironment) -> None:
    task = environment.task("t-adopt")
    with environment.start(task) as session:
        for call in environment.gold(task.id).calls:
            assert session.call(call.tool, call.arguments).ok
        assert session.submit().reward == 1.0
    with environment.start(task) as session:
        verdict = session.submit()
        assert (verdict.status, verdict.reward, verdict.solved) == ("valid", 0.0, False)


def test_calls_after_submit_get_a_code_and_a_second_submit_the_first_verdict(session: DatabaseSession) -> None:
    assert session.call("submit", {"outcome": "done"}).ok
    first = session.verdict
    assert session.call("adopt", {"animal_id": 3, "person": "Eve"}).error is not None
    assert session.call("submit", {"outcome": "done"}).error is not None
    assert session.submit(outcome="refused") is first


@pytest.mark.parametrize(
    "arguments",
    [
        None, [], {}, {"outcome": "maybe"}, {"outcome": "done", "reason": "because"}, {"outcome": "done", "x": 1}, {"outcome": ["done"]},
        {"outcome": "done", "reason": []}, {"outcome": "done", "reason": {}}, {"outcome": "done", "reason": 10**5000},
    ],
    ids=range(10),
)  # fmt: skip
def test_a_malformed_submit_does_not_end_the_episode(session: DatabaseSession, arguments: Any) -> None:
    result = session.call("submit", arguments)
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert session.verdict is None


@pytest.mark.parametrize("answer", [deep(3000), 10**5000, float("nan"), "\ud800", [deep(3000)], "9" * 5000], ids=range(6))
@pytest.mark.parametrize("task", ["t-adopt", "t-count"])
def test_any_answer_ends_the_episode_and_an_odd_one_is_wrong(environment: DatabaseEnvironment, task: str, answer: Any) -> None:
    with environment.start(environment.task(task)) as session:
        assert session.call("submit", {"outcome": "done", "answer": answer}).ok
        assert session.verdict is not None
        assert (session.verdict.status, session.verdict.reward) == ("valid", 0.0)


def test_a_write_whose_result_is_too_large_to_show_changes_nothing() -> None:
    data = json.loads(json.dumps(SPEC))
    long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT group_concat(i) FROM n"
    steps = [{"run": "UPDATE animals SET status = 'adopted' WHERE id = 1"}, {"return": {"value": long}}]
    data["tools"].append({"name": "long", "description": "Long.", "parameters": {"type": "object", "properties": {}}, "steps": steps})
    environment = DatabaseEnvironment(EnvironmentSpec.model_validate(data), native(world()), tasks=tasks())
    with environment.start(environment.tasks()[0]) as session:
        error = session.call("long", {}).error
        assert error is not None
        assert error.code == "result_too_large"
        assert session.changes().empty()


@pytest.mark.parametrize("value", [[1], {"a": 1}, 10**30], ids=["array", "object", "huge"])
def test_a_parameter_of_any_type_does_not_raise_either(value: Any) -> None:
    data = json.loads(json.dumps(SPEC))
    data["tools"][0]["parameters"]["properties"]["kind"] = {"x-column": "animals.kind"}
    environment = DatabaseEnvironment(EnvironmentSpec.model_validate(data), native(world()), tasks=tasks())
    with environment.start(environment.tasks()[0]) as session:
        error = session.call("list_animals", {"kind": value}).error
        assert error is not None
        assert error.code == "environment_fault"


def test_a_rule_that_fails_makes_the_verdict_an_error() -> None:
    data = json.loads(json.dumps(SPEC))
    data["rules"].append({"id": "odd", "kind": "agent", "policy": "Odd.", "sql": "SELECT json_extract(name, '$') FROM main.animals"})
    environment = DatabaseEnvironment(
        EnvironmentSpec.model_validate(data), native(world()), tasks=tasks(), gold={item.task: item for item in gold()}
    )
    with environment.start(environment.task("t-adopt")) as session:
        verdict = session.submit()
        assert (verdict.status, verdict.reward, verdict.failure_kind) == ("error", None, "environment_fault")


def test_the_verdict_is_not_shown_to_the_agent(session: DatabaseSession) -> None:
    assert session.call("submit", {"outcome": "done"}).content == '{"submitted":true}'


def test_ten_thousand_calls_end_at_the_limit_and_the_episode_can_still_be_submitted(session: DatabaseSession) -> None:
    codes = [(session.call("list_animals", {}).error or None) for _ in range(10_000)]
    refused = [error for error in codes if error is not None]
    assert len(session.calls) == 1000
    assert {error.code for error in refused} == {"call_limit"}
    assert session.submit().status == "valid"


def test_a_tool_that_would_run_for_ever_is_stopped() -> None:
    data = json.loads(json.dumps(SPEC))
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n"
    data["tools"].append(
        {
            "name": "spin",
            "description": "Spin.",
            "parameters": {"type": "object", "properties": {}},
            "steps": [{"return": {"value": endless}}],
        }
    )
    environment = DatabaseEnvironment(EnvironmentSpec.model_validate(data), native(world()), tasks=tasks())
    with environment.start(environment.tasks()[0]) as session:
        error = session.call("spin", {}).error
        assert error is not None
        assert error.code == "too_expensive"
        assert session.call("list_animals", {}).ok


def test_a_tool_that_breaks_its_promise_makes_the_verdict_an_error() -> None:
    data = json.loads(json.dumps(SPEC))
    data["tools"].append(
        {
            "name": "lost",
            "description": "Lost.",
            "parameters": {"type": "object", "properties": {}},
            "steps": [{"return": {"one": "SELECT id FROM animals WHERE id = 99"}}],
        }
    )
    environment = DatabaseEnvironment(
        EnvironmentSpec.model_validate(data), native(world()), tasks=tasks(), gold={item.task: item for item in gold()}
    )
    with environment.start(environment.tasks()[0]) as session:
        error = session.call("lost", {}).error
        assert error is not None
        assert error.code == "environment_fault"
        assert "SELECT" not in error.message
        verdict = session.submit()
        assert (verdict.status, verdict.reward) == ("error", None)


def test_a_bundle_without_gold_gives_no_reward() -> None:
    environment = DatabaseEnvironment(spec(), native(world()), tasks=tasks())
    with environment.start(environment.tasks()[0]) as session:
        verdict = session.submit()
        assert (verdict.status, verdict.reward, verdict.failure_kind) == ("invalid", None, "no_gold")


def test_a_fork_is_independent_and_carries_its_base(environment: DatabaseEnvironment) -> None:
    task = environment.task("t-adopt")
    with environment.start(task) as session:
        assert session.call("adopt", {"animal_id": 3, "person": "Eve"}).ok
        with session.fork() as fork, fork.fork() as second:
            assert fork.changes() == session.changes() == second.changes()
            assert second.call("adopt", {"animal_id": 1, "person": "Bob"}).ok
            assert len(second.changes().insert["adoptions"]) == 2
            assert len(fork.changes().insert["adoptions"]) == 1
            assert fork.submit().reward == 1.0
            assert second.submit().reward == 0.0
        assert session.verdict is None
        assert session.submit().reward == 1.0


def test_a_fork_has_messages_of_its_own(session: DatabaseSession) -> None:
    count = len(session.messages)
    with session.fork() as fork:
        fork.messages.append(fork.messages[0])
    assert len(session.messages) == count


def test_a_slot_that_held_a_fork_is_clean_again(environment: DatabaseEnvironment) -> None:
    task = environment.task("t-adopt")
    start = environment.start(task)
    clean = start.snapshot().digest
    start.call("adopt", {"animal_id": 3, "person": "Eve"})
    for _ in range(3):
        fork = start.fork()
        fork.call("adopt", {"animal_id": 1, "person": "Bob"})
        fork.close()
    start.close()
    for _ in range(6):
        with environment.start(task) as session:
            assert session.snapshot().digest == clean


def test_a_start_patch_is_no_change_of_the_episode_and_is_undone(environment: DatabaseEnvironment) -> None:
    patch = (
        RowPatch(op="update", table="animals", key={"id": 3}, row={"status": "adopted"}),
        RowPatch(op="insert", table="animals", row={"id": 9, "name": "Zoe", "kind": "cat", "status": "here"}),
        RowPatch(op="delete", table="animals", key={"id": 2}),
    )
    task = Task(id="patched", split="", template="", kinds=("do",), instruction="", start=Start(now=spec().now, patch=patch))
    plain = environment.task("t-adopt")
    with environment.start(plain) as session:
        clean = session.snapshot().digest
    with environment.start(task) as session:
        assert session.changes().insert == {}
        assert session.snapshot().digest != clean
        names = "SELECT name FROM {}.animals ORDER BY id"
        assert session.connection.execute(names.format("main")).fetchall() == session.connection.execute(names.format("before")).fetchall()
        with session.fork() as fork:
            assert fork.connection.execute(names.format("before")).fetchall() == [("Tom",), ("Mia",), ("Bo",), ("Zoe",)]
    with environment.start(plain) as session:
        assert session.snapshot().digest == clean


def test_probe_leaves_no_trace(session: DatabaseSession) -> None:
    before = session.snapshot().digest
    assert session.probe("adopt", {"animal_id": 3, "person": "Eve"}).ok
    assert session.calls == []
    assert session.snapshot().digest == before


def test_use_after_close_is_a_clear_error_and_close_is_idempotent(environment: DatabaseEnvironment) -> None:
    session = environment.start(environment.task("t-adopt"))
    session.close()
    session.close()
    with pytest.raises(SessionClosed, match="start another one"):
        session.call("list_animals", {})


def test_two_threads_in_one_session_get_a_clear_error(session: DatabaseSession) -> None:
    inside, leave = threading.Event(), threading.Event()
    execute = session.slot.execute

    def slow(*arguments: Any) -> Any:
        inside.set()
        leave.wait(5)
        return execute(*arguments)

    session.slot.execute = slow
    worker = threading.Thread(target=session.call, args=("list_animals", {}))
    worker.start()
    inside.wait(5)
    try:
        with pytest.raises(ConcurrentUse, match="session of its own"):
            session.call("list_animals", {})
        # The connection must not go to another episode while somebody works on it.
        with pytest.raises(ConcurrentUse, match="when its call has returned"):
            session.close()
    finally:
        leave.set()
        worker.join()
        session.slot.execute = execute


def test_sixty_four_sessions_in_sixteen_threads_are_right(environment: DatabaseEnvironment) -> None:
    task = environment.task("t-adopt")

    def episode(number: int) -> float | None:
        with environment.start(task) as session:
            animal = 3 if number % 2 else 1
            session.call("list_animals", {"kind": "cat"})
            session.call("adopt", {"animal_id": animal, "person": "Eve"})
            with session.fork() as fork:
                return fork.submit().reward

    with ThreadPoolExecutor(16) as threads:
        rewards = list(threads.map(episode, range(64)))
    assert rewards == [float(number % 2) for number in range(64)]


def test_an_unknown_split_names_those_that_there_are(environment: DatabaseEnvironment) -> None:
    with pytest.raises(UsageError, match="splits are test 1, train 1"):
        environment.tasks("dev")


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["adopt", "list_animals", "submit", "nothing"]), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
))  # fmt: skip
def test_no_call_raises_and_a_refused_call_changes_nothing(name: str, arguments: Any) -> None:
    environment = _shared()
    with environment.start(environment.tasks()[0]) as session:
        before = session.snapshot().digest
        result = session.call(name, arguments)
        result.content.encode("utf-8")
        if not result.ok:
            assert session.snapshot().digest == before


_ENVIRONMENTS: list[DatabaseEnvironment] = []


def _shared() -> DatabaseEnvironment:
    if not _ENVIRONMENTS:
        _ENVIRONMENTS.append(DatabaseEnvironment(spec(), native(world()), tasks=tasks()))
    return _ENVIRONMENTS[0]


def test_a_ticking_clock_moves_with_each_call_and_the_verdict_allows_for_it() -> None:
    data = {**json.loads(json.dumps(SPEC)), "clock": "ticks"}
    environment = DatabaseEnvironment(
        EnvironmentSpec.model_validate(data), native(world()), tasks=tasks(), gold={item.task: item for item in gold()}
    )
    with environment.start(environment.task("t-adopt")) as session:
        for _ in range(5):
            session.call("list_animals", {})
        assert session.call("adopt", {"animal_id": 3, "person": "Eve"}).ok
        assert session.changes().insert["adoptions"][0]["adopted_at"] == "2026-03-02 09:05:00"
        assert session.submit().reward == 1.0
