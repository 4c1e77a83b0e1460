#!/usr/bin/env python3
"""Judge one episode of a database bundle. Needs Python's standard library only.

    python verify.py --task ID --world final.sqlite --calls calls.jsonl [--bundle DIR] [--json]

`--world` is the database as the episode left it. Each line of `--calls` is one record, in order: a call
{"step","tool","arguments","ok","code","result","now","writes":[{"op","table","old","new"}]}, a {"message":{"role","content"}},
and last {"submit":{"answer","outcome","reason"}}. Exit status: 0 solved, 1 not solved, 2 wrong usage, 3 could not be judged
(a missing or damaged file, or an SQLite below 3.38): then there is no reward, which is not the same as a reward of 0.

For many episodes import it: `bundle = load(folder)`, then `verify(bundle, task_id, world, calls)`.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
import unicodedata
from collections import Counter
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

OLDEST = (3, 38, 0)
MAX_TRIES = 20_000
UNCHECKED = ("unknown_tool", "invalid_arguments")  # such arguments may be anything: rules see null
TRACE = """
CREATE TABLE trace.calls(step INTEGER PRIMARY KEY, tool TEXT, arguments TEXT, ok INTEGER, code TEXT, result TEXT, now TEXT);
CREATE TABLE trace.writes(step INTEGER, tbl TEXT, op TEXT, key TEXT, col TEXT, old, new);
CREATE TABLE trace.messages(step INTEGER, role TEXT, content TEXT);
"""


class Invalid(Exception):
    """The episode cannot be judged; the text says why."""


class Table(NamedTuple):
    """One table as `environment.json` declares it. `shown` are the columns that count."""

    name: str
    columns: list[str]
    key: list[str]
    shown: list[str]


class Difference(NamedTuple):
    """Rows that are new, changed or gone: table -> {key: row}; for changed rows {key: {column: new value}}."""

    new: dict[str, dict[tuple, dict]]
    changed: dict[str, dict[tuple, dict]]
    gone: dict[str, dict[tuple, dict]]


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _read_table(declared: dict) -> Table:
    columns = [column["name"] for column in declared["columns"]]
    key = list(declared.get("primary_key") or [c["name"] for c in declared["columns"] if c.get("primary_key")]) or columns
    return Table(declared["name"], columns, key, [c["name"] for c in declared["columns"] if c.get("policy") != "internal"])


class Bundle:
    """A bundle in memory. Holds one connection, so use one `Bundle` per thread."""

    def __init__(self, environment: dict, tasks: list[dict], gold: list[dict], world: sqlite3.Connection) -> None:
        self.tables = [_read_table(declared) for declared in environment["tables"]]
        self.rules = [(rule["id"], rule["sql"]) for rule in environment.get("rules", []) if rule["kind"] == "agent"]
        self.tasks = {task["id"]: task for task in tasks}
        self.gold = {record["task"]: record for record in gold}
        self.connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._copy_before(world)

    def _copy_before(self, world: sqlite3.Connection) -> None:
        execute = self.connection.execute
        execute("ATTACH ':memory:' AS before")
        execute("ATTACH ':memory:' AS trace")
        self.connection.executescript(TRACE)
        made = "SELECT name, sql FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
        for name, sql in world.execute(made, ("table",)).fetchall():
            execute(f"CREATE TABLE before.{sql[len('CREATE TABLE ') :]}")
            rows = world.execute(f"SELECT * FROM {_identifier(name)}").fetchall()
            if rows:
                self.connection.executemany(f"INSERT INTO before.{_identifier(name)} VALUES({','.join('?' * len(rows[0]))})", rows)
        for _, sql in world.execute(made, ("view",)).fetchall():
            execute(f"CREATE VIEW before.{sql[len('CREATE VIEW ') :]}")
        execute("PRAGMA foreign_keys = ON")


def load(folder: Any) -> Bundle:
    """Read the bundle in `folder`; Invalid when a file is missing or damaged."""
    folder = Path(folder)
    try:
        environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
        records = [[json.loads(line) for line in _lines(folder / name)] for name in ("tasks.jsonl", "gold.jsonl")]
        with closing(_open(folder / "world.sqlite")) as world:
            return Bundle(environment, records[0], records[1], world)
    except (OSError, ValueError, KeyError, TypeError, sqlite3.Error) as problem:
        raise Invalid(f"the bundle in {folder} cannot be read: {problem}") from problem


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def _open(path: Any) -> sqlite3.Connection:
    if not Path(path).is_file():
        raise Invalid(f"{path} is missing")
    return sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)


def verify(bundle: Any, task_id: str, world: Any, calls: list[dict]) -> dict:
    """Return the verdict of one episode as data: status, reward, solved, checks [{"name","passed","detail"}].

    bundle: a `Bundle` or its folder. world: an `sqlite3.Connection`, or the path of the final database. calls: the
    records described above. Whatever cannot be judged gives status `invalid` and says why.
    """
    try:
        if sqlite3.sqlite_version_info < OLDEST:
            raise Invalid(f"SQLite {sqlite3.sqlite_version} is too old: 3.38 or later is needed")
        held = bundle if isinstance(bundle, Bundle) else load(bundle)
        if isinstance(world, sqlite3.Connection):
            return _judge(held, task_id, world, calls)
        with closing(_open(world)) as opened:
            return _judge(held, task_id, opened, calls)
    except (Invalid, sqlite3.Error, KeyError, TypeError, ValueError, AttributeError) as problem:
        return {"status": "invalid", "reward": None, "solved": None, "checks": [], "detail": f"{type(problem).__name__}: {problem}"}


def _judge(bundle: Bundle, task_id: str, world: sqlite3.Connection, records: list[dict]) -> dict:
    task, gold = bundle.tasks[task_id], bundle.gold[task_id]
    submitted = next((record["submit"] for record in reversed(records) if "submit" in record), None) or {}
    connection = bundle.connection
    world.backup(connection)
    connection.execute("BEGIN")
    try:
        for patch in task["start"].get("patch", []):
            _apply(connection, patch)
        problems = compare(gold.get("expect", {}), difference(connection, bundle.tables))
        broken = _broken(bundle, records)
    finally:
        connection.execute("ROLLBACK")
    outcome, reason, wanted = submitted.get("outcome"), submitted.get("reason"), gold.get("outcome", "done")
    checks = [
        ("state", not problems, "; ".join(problems[:4])),
        ("answer", same_answer(gold.get("answer"), submitted.get("answer")), ""),
        ("outcome", outcome == wanted, f"submitted {outcome}"),
    ]
    if wanted != "done":
        checks.append(("reason", reason == gold.get("reason"), f"submitted {reason}"))
    checks += [(f"rule:{rule}", rule not in broken, "") for rule, _ in bundle.rules]
    solved = all(passed for _, passed, _ in checks)
    named = [{"name": name, "passed": passed, "detail": "" if passed else detail} for name, passed, detail in checks]
    return {"status": "valid", "reward": float(solved), "solved": solved, "checks": named}


def _apply(connection: sqlite3.Connection, patch: dict) -> None:
    """Make one row change of the task's start in the copy of the start state."""
    table, key, row = f"before.{_identifier(patch['table'])}", patch.get("key", {}), patch.get("row", {})
    where = " AND ".join(f"{_identifier(name)} = ?" for name in key)
    if patch["op"] == "insert":
        names = ", ".join(map(_identifier, row))
        connection.execute(f"INSERT INTO {table}({names}) VALUES({','.join('?' * len(row))})", list(row.values()))
    elif patch["op"] == "delete":
        connection.execute(f"DELETE FROM {table} WHERE {where}", list(key.values()))
    else:
        sets = ", ".join(f"{_identifier(name)} = ?" for name in row)
        connection.execute(f"UPDATE {table} SET {sets} WHERE {where}", [*row.values(), *key.values()])


def difference(connection: sqlite3.Connection, tables: list[Table]) -> Difference:
    """Compare every row of `before` with every row of `main`."""
    found = Difference({}, {}, {})
    for table in tables:
        chosen = ", ".join(map(_identifier, table.columns))
        name = _identifier(table.name)
        then = connection.execute(f"SELECT {chosen} FROM before.{name}").fetchall()
        now = connection.execute(f"SELECT {chosen} FROM main.{name}").fetchall()
        if then != now:
            _compare_rows(table, then, now, found)
    return found


def _compare_rows(table: Table, then: list[tuple], now: list[tuple], found: Difference) -> None:
    def by_key(rows: set[tuple]) -> dict[tuple, dict]:
        named = [dict(zip(table.columns, row, strict=True)) for row in rows]
        return {tuple((column, row[column]) for column in sorted(table.key)): row for row in named}

    old, new = by_key(set(then) - set(now)), by_key(set(now) - set(then))
    for key in new.keys() - old.keys():
        found.new.setdefault(table.name, {})[key] = {column: new[key][column] for column in table.shown}
    for key in old.keys() - new.keys():
        found.gone.setdefault(table.name, {})[key] = old[key]
    for key in old.keys() & new.keys():
        cells = {column: new[key][column] for column in table.shown if new[key][column] != old[key][column]}
        if cells:
            found.changed.setdefault(table.name, {})[key] = cells


def compare(expect: dict, found: Difference) -> list[str]:
    """Return what is wrong with the difference, in words; nothing when it is what was expected, up to new ids."""
    names: dict[str, Any] = {}
    problems = _compare_changed(expect.get("update", []), found, names)
    wanted = {(entry["table"], tuple(sorted(entry["key"].items()))) for entry in expect.get("delete", [])}
    gone = {(table, key) for table, rows in found.gone.items() for key in rows}
    problems += [f"{table} {dict(key)} is still there" for table, key in sorted(wanted - gone, key=str)]
    problems += [f"{table} {dict(key)} is gone, which was not asked for" for table, key in sorted(gone - wanted, key=str)]
    return problems or _compare_new(expect.get("insert", []), found.new, names)


def _compare_changed(expected: list[dict], found: Difference, names: dict) -> list[str]:
    rest = {(table, key): cells for table, rows in found.changed.items() for key, cells in rows.items()}
    problems = []
    for entry in expected:
        key = tuple(sorted(entry["key"].items()))
        cells = rest.pop((entry["table"], key), {})
        if cells.keys() != entry["set"].keys() or not all(_fits(entry["set"][c], cells[c], names) for c in cells):
            problems.append(f"{entry['table']} {dict(key)} is not as asked")
    return problems + [f"{table} {dict(key)} was changed, which was not asked for" for table, key in sorted(rest, key=str)]


def _fits(expected: Any, value: Any, names: dict) -> bool:
    """Compare one value with its expectation; the first value seen for an id's name is remembered in `names`."""
    if not isinstance(expected, dict):
        return type(expected) is type(value) and expected == value
    if "$id" in expected:
        return value is not None and names.setdefault(expected["$id"], value) == value
    if "$clock" in expected:
        return _is_time(value)
    return isinstance(value, str) and value.strip() != ""


def _is_time(value: Any) -> bool:
    shape = {10: "%Y-%m-%d", 19: "%Y-%m-%d %H:%M:%S"}.get(len(value)) if isinstance(value, str) else None
    try:
        return shape is not None and datetime.strptime(value, shape).strftime(shape) == value
    except ValueError:
        return False


def _compare_new(expected: list[dict], new: dict[str, dict[tuple, dict]], names: dict) -> list[str]:
    """Pair expected and new rows. Rows that cannot be partners are struck off until nothing changes; then one is tried."""
    rows = {(table, key): row for table, found in new.items() for key, row in found.items()}
    counts = Counter(entry["table"] for entry in expected)
    counts.subtract(Counter(table for table, _ in rows))
    problems = [f"{abs(n)} new row(s) {'too many' if n < 0 else 'missing'} in {table}" for table, n in sorted(counts.items()) if n]
    if problems:
        return problems
    options = [{p for p, row in rows.items() if p[0] == entry["table"] and _plain_fits(entry["row"], row)} for entry in expected]
    empty = [f"no new row in {entry['table']} is as asked" for entry, places in zip(expected, options, strict=True) if not places]
    return empty or ([] if _pair(expected, rows, options, names, [MAX_TRIES]) else ["the new rows do not belong together as asked"])


def _plain_fits(expected: dict, row: dict) -> bool:
    plain = {column: value for column, value in expected.items() if not (isinstance(value, dict) and "$id" in value)}
    return expected.keys() == row.keys() and all(_fits(value, row[column], {}) for column, value in plain.items())


def _ids(entry: dict) -> list[tuple[str, str]]:
    return [(column, value["$id"]) for column, value in entry["row"].items() if isinstance(value, dict) and "$id" in value]


def _pair(expected: list[dict], rows: dict, options: list[set], names: dict, budget: list[int]) -> bool:
    if not _strike(expected, rows, options, names):
        return False
    open_ = [index for index, places in enumerate(options) if len(places) > 1]
    if not open_:
        return True
    index = min(open_, key=lambda i: len(options[i]))
    for place in sorted(options[index], key=str):
        budget[0] -= 1
        if budget[0] < 0:
            return False
        trial = [set(places) for places in options]
        trial[index] = {place}
        if _pair(expected, rows, trial, names, budget):
            return True
    return False


def _strike(expected: list[dict], rows: dict, options: list[set], names: dict) -> bool:
    """Remove impossible partners until nothing changes; False when some row is left without one."""
    while True:
        before = sum(map(len, options))
        allowed: dict[str, set] = {token: {value} for token, value in names.items()}
        for entry, places in zip(expected, options, strict=True):
            for column, token in _ids(entry):
                values = {rows[place][column] for place in places} - {None}
                allowed[token] = allowed[token] & values if token in allowed else values
        settled = [next(iter(places)) for places in options if len(places) == 1]
        if len(settled) != len(set(settled)):
            return False
        for entry, places in zip(expected, options, strict=True):
            places -= {p for p in places if any(rows[p][column] not in allowed[token] for column, token in _ids(entry))}
            if len(places) > 1:
                places -= set(settled)
            if not places:
                return False
        if sum(map(len, options)) == before:
            return True


def same_answer(expected: dict | None, given: Any) -> bool:
    """Compare typed answers. Without an expected one, nothing or a remark (any text) is fine."""
    if expected is None:
        return given is None or isinstance(given, str)
    read = {"integer": _whole, "text": _folded, "date": _day, "boolean": _truth, "texts": _set}[expected["type"]]
    right = read(expected.get("value"))
    return right is not None and read(given) == right


def _whole(value: Any) -> Any:
    if type(value) is str and re.fullmatch(r"\s*(0|-?[1-9][0-9]{0,18})\s*", value, re.ASCII):
        return int(value)
    return int(value) if type(value) in (int, float) and value == value // 1 else None


def _folded(value: Any) -> Any:
    return unicodedata.normalize("NFC", value.strip()).casefold() if type(value) is str else None


def _day(value: Any) -> Any:
    return value.strip() if type(value) is str and len(value.strip()) == 10 and _is_time(value.strip()) else None


def _truth(value: Any) -> Any:
    return value if type(value) is bool else None


def _set(value: Any) -> Any:
    return frozenset(map(_folded, value)) if type(value) in (list, tuple) and all(type(item) is str for item in value) else None


def _broken(bundle: Bundle, records: list[dict]) -> set[str]:
    """Return the ids of the rules that the episode breaks."""
    execute = bundle.connection.execute
    tables = {table.name: table for table in bundle.tables}
    for record in records:
        if "tool" in record:
            code = record.get("code", "")
            tool = "" if code == "unknown_tool" else record["tool"]
            given = None if code in UNCHECKED else record.get("arguments")
            texts = [json.dumps(value, ensure_ascii=False) for value in (given, record.get("result"))]
            row = (record["step"], tool, texts[0], record["ok"], code, texts[1], record.get("now", ""))
            execute("INSERT INTO trace.calls VALUES(?,?,?,?,?,?,?)", row)
            for write in record.get("writes", []):
                _note_write(execute, record["step"], write, tables)
    messages = [record["message"] for record in records if "message" in record]
    for step, message in enumerate(messages):
        execute("INSERT INTO trace.messages VALUES(?,?,?)", (step, message["role"], message["content"]))
    return {rule for rule, sql in bundle.rules if execute(sql).fetchone() is not None}


def _note_write(execute: Any, step: int, write: dict, tables: dict[str, Table]) -> None:
    table = tables.get(write["table"])
    if table is None:
        return
    old, new = write.get("old") or {}, write.get("new") or {}
    key = json.dumps({column: (new or old).get(column) for column in table.key}, ensure_ascii=False, separators=(",", ":"))
    for column in table.shown:
        if old.get(column) != new.get(column):
            row = (step, table.name, write["op"], key, column, old.get(column), new.get(column))
            execute("INSERT INTO trace.writes VALUES(?,?,?,?,?,?,?)", row)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", required=True, help="id of the task, or a unique beginning of it")
    parser.add_argument("--world", required=True, help="the database as the episode left it")
    parser.add_argument("--calls", required=True, help="the episode's records, one JSON object a line")
    parser.add_argument("--bundle", default=str(Path(__file__).resolve().parent), help="the bundle's folder (default: this file's)")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    options = parser.parse_args(arguments)
    try:
        bundle = load(options.bundle)
        calls = [json.loads(line) for line in _lines(Path(options.calls))]
    except (Invalid, OSError, ValueError) as problem:
        return _report({"status": "invalid", "reward": None, "solved": None, "checks": [], "detail": str(problem)}, options.json)
    found = [task for task in bundle.tasks if task == options.task] or [t for t in bundle.tasks if t.startswith(options.task)]
    if len(found) != 1:
        parser.error(f"{len(found)} tasks match {options.task!r}; tasks.jsonl has {', '.join(list(bundle.tasks)[:5])} ...")
    return _report(verify(bundle, found[0], options.world, calls), options.json)


def _report(verdict: dict, as_json: bool) -> int:
    lines = [f"{verdict['status']}: reward {verdict['reward']} {verdict.get('detail', '')}".rstrip()]
    lines += [f"  {'pass' if check['passed'] else 'FAIL'}  {check['name']}  {check['detail']}".rstrip() for check in verdict["checks"]]
    print(json.dumps(verdict, ensure_ascii=False) if as_json else "\n".join(lines))
    return 3 if verdict["status"] != "valid" else 0 if verdict["solved"] else 1


if __name__ == "__main__":
    sys.exit(main())
