import json
from pathlib import Path

import pytest

import envgen
from envgen.core.errors import UsageError
from envgen.rollout.policies import scripted
from envgen.rollout.runs import rollout
from envgen.view.text import show


def test_a_bundle_in_whole(shelter: Path) -> None:
    text = show(str(shelter))
    for part in ("SCHEMA", "TOOLS", "TOOL GRAPH", "RULES", "TASKS"):
        assert f"\n{part}\n" in text
    assert "adoptions (1 rows)" in text
    assert "animal_id integer -> animals.id" in text
    assert "adopt(animal_id, person)  [writes]" in text
    assert "list_animals(kind?)  [reads]" in text
    assert "adopt.animal_id (animals.id) <- list_animals" in text
    assert "one_home  (the tools enforce it)" in text
    assert "t-adopt  train" in text
    assert "GATES" not in text


def test_gold_is_shown_only_when_asked_for(shelter: Path) -> None:
    plain = show(str(shelter), "t-adopt")
    assert "Eve would like to adopt Mia." in plain
    assert "GOLD" not in plain
    assert "list_animals" not in plain
    full = show(str(shelter), "t-adopt", gold=True)
    assert '2. adopt {"animal_id": 3, "person": "Eve"}' in full
    assert '~ animals {"id": 3} -> {"status": "adopted"}' in full
    assert "T1 pass" in full
    assert "T1: pass 1" in show(str(shelter), gold=True)
    assert "answer 2 (integer)" in show(str(shelter), "t-count", gold=True)


def test_as_agent_prints_what_a_model_gets_and_no_more(shelter: Path) -> None:
    environment = envgen.load(shelter)
    with environment.start(environment.tasks()[0]) as session:  # type: ignore[attr-defined]
        messages, tools = session.messages, session.tools
    text = show(str(shelter), "t-adopt", as_agent=True)
    for message in messages:
        assert f"--- {message.role}\n{message.content}" in text
    shown = text.split("--- tools\n")[1].split("--- size\n")[0]
    assert json.loads(shown) == tools
    assert "x-column" not in text
    compact = len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")))
    said = sum(len(message.content) for message in messages)
    assert f"messages {said} characters; {len(tools)} tool schemas {compact} characters" in text
    assert f"about {-(-(said + compact) // 4)} tokens (an estimate" in text


def test_a_split_without_tasks_is_refused(shelter: Path) -> None:
    assert "t-count" not in show(str(shelter), split="train")
    with pytest.raises(UsageError, match="0 tasks in split 'dev'"):
        show(str(shelter), split="dev")


def test_a_task_that_is_not_there(shelter: Path) -> None:
    with pytest.raises(UsageError, match="0 tasks match 'x'"):
        show(str(shelter), "x")
    with pytest.raises(UsageError, match="2 tasks match 't-'"):
        show(str(shelter), "t-")


def test_a_run(shelter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder, _ = rollout(envgen.load(shelter), scripted("oracle"))
    assert show("@last").startswith(str(folder))
    assert "mean_reward: 1.0" in show(str(folder))
