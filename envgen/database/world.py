"""The start state: base rows by generators, history by the world's own tools at earlier clocks, then planted witnesses."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import apsw
import sqlite_utils

from envgen.core.clock import DATE_TIME, parse_time, shift
from envgen.core.digest import rng
from envgen.core.errors import PlanError, SpecError
from envgen.core.numbers import integer_of
from envgen.core.outcome import Change
from envgen.database.compile import IDS_TABLE, CompiledTool, EnvironmentFault, Exhausted, Refusal, compile_tools
from envgen.database.draw import Drawer
from envgen.database.engine import CALL_TICKS, OTHER_TICKS, TICK, native
from envgen.database.fill import Filler, Row
from envgen.database.language import History, Plant, Proposal
from envgen.database.schema import ddl, id_targets
from envgen.database.snapshot import quote, table_names
from envgen.database.spec import EnvironmentSpec

DRAWS_PER_EVENT = 25
FIRST_ID = 1001


class Bench:
    """A connection on which tools run for real: what history is made on. A `Ground` without log keeping, with a limit to the work."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection, self.execute = connection, connection.execute
        self.log: list[Change] = []
        self.ticks_left = CALL_TICKS
        connection.set_progress_handler(self._tick, TICK)

    def _tick(self) -> bool:
        self.ticks_left -= 1
        return self.ticks_left < 0

    def close(self) -> None:
        """Take the limit off the connection again."""
        self.connection.set_progress_handler(None)


@dataclass(frozen=True)
class WorldReport:
    """What building took: rows per table, history events asked for and made, and draws that a tool refused."""

    rows: dict[str, int]
    events: int
    made: int
    refused: int


def build_world(
    proposal: Proposal, seed: int, size: str, after: Callable[[str, apsw.Connection], None] | None = None
) -> tuple[apsw.Connection, WorldReport]:
    """Return the start state of `proposal` as a native memory database, and a report.

    The same proposal, seed and size give the same rows on any machine. SpecError or PlanError say what does not fit.
    after: is shown each past call that was made: the tool's name, and the rows as they then are. What it raises ends the building.
    """
    spec, language = proposal.spec, proposal.language
    connection = _base(proposal, seed, size)
    _set_counters(spec, connection)
    bench = Bench(connection)
    tools = compile_tools(spec, connection)
    events = sorted(_events(proposal, seed, size), key=lambda event: (event.now, event.order))
    drawer = Drawer(bench.execute, rng(seed, "history"), pools=language.pools, skew=0.5)
    made = refused = 0
    for event in events:
        done, failures = _happen(event, tools, bench, drawer, spec)
        made += done
        refused += failures
        if done and after is not None:
            bench.ticks_left = CALL_TICKS
            after(event.history.tool, connection)
    for plant in language.plants:
        bench.ticks_left = OTHER_TICKS
        _plant(plant, bench, seed, size, spec.now)
    _set_counters(spec, connection)
    _check(spec, bench)
    bench.close()
    rows = {name: len(connection.execute(f"SELECT 1 FROM {quote(name)}").fetchall()) for name in table_names(connection)}
    rows.pop(IDS_TABLE, None)
    return connection, WorldReport(rows, len(events), made, refused)


def _base(proposal: Proposal, seed: int, size: str) -> apsw.Connection:
    """Create the schema and put the base rows in with sqlite-utils; return a native APSW copy."""
    spec = proposal.spec
    plain = sqlite3.connect(":memory:")
    database = sqlite_utils.Database(plain)
    for statement in ddl(spec):
        plain.execute(statement)
    filler = Filler(seed, spec.now, proposal.language.pools)
    places = {table.name: index for index, table in enumerate(spec.tables)}
    guards = [(rule.id, rule.sql) for rule in spec.rules if rule.kind == "guard"]
    for filling in proposal.language.fillings:
        accept = _Acceptance(database, filling.table, guards) if filling.lenient else None
        rows = filler.fill(filling, size, FIRST_ID + 1000 * places[filling.table], accept)
        try:
            if accept is None:
                database.table(filling.table).insert_all(rows)
        except sqlite3.Error as problem:
            raise SpecError(f"filling of {filling.table}", str(problem)) from problem
    plain.commit()
    target = native(plain.serialize())
    plain.close()
    return target


class _Acceptance:
    """Puts a drawn row into its table unless it breaks a constraint or a guard rule. SpecError names a rule whose SQL cannot be run."""

    def __init__(self, database: sqlite_utils.Database, table: str, guards: Sequence[tuple[str, str]]) -> None:
        self.database, self.table, self.guards, self.ticks = database, table, guards, 0

    def __call__(self, row: Row) -> bool:
        plain = self.database.conn
        plain.execute("SAVEPOINT drawn")
        self.ticks = CALL_TICKS
        plain.set_progress_handler(self._tick, TICK)
        try:
            self.database.table(self.table).insert(row)
            fits = all(self._holds(*guard) for guard in self.guards)
        except sqlite3.Error:
            fits = False
        finally:
            plain.set_progress_handler(None, TICK)
        if plain.in_transaction:
            if not fits:
                plain.execute("ROLLBACK TO drawn")
            plain.execute("RELEASE drawn")
        return fits

    def _holds(self, name: str, sql: str) -> bool:
        self.ticks = CALL_TICKS
        try:
            return self.database.conn.execute(sql).fetchone() is None
        except sqlite3.Error as problem:
            raise SpecError(f"rule {name}", f"its SQL cannot be run: {problem}") from problem

    def _tick(self) -> int:
        self.ticks -= 1
        return int(self.ticks < 0)


def _set_counters(spec: EnvironmentSpec, connection: apsw.Connection) -> None:
    """Set each id counter past the highest id in use. Ranges start 1,000 apart, so that ids of two tables seldom meet."""
    places = {table.name: index for index, table in enumerate(spec.tables)}
    for target in id_targets(spec):
        table, _, column = target.partition(".")
        form = spec.table(table).column(column).x_id
        values = [row[0] for row in connection.execute(f"SELECT {quote(column)} FROM {quote(table)}")]
        used = [int("".join(filter(str.isdigit, value))) if form else int(value) for value in values]
        following = max(used, default=FIRST_ID + 1000 * places[table] - 1) + 1
        connection.execute(
            f"INSERT INTO {IDS_TABLE} VALUES (?, ?) ON CONFLICT (tbl) DO UPDATE SET next = max(next, excluded.next)", (target, following)
        )


@dataclass(frozen=True)
class _Event:
    now: str
    order: int
    history: History


def _events(proposal: Proposal, seed: int, size: str) -> Iterator[_Event]:
    order = 0
    for history in proposal.language.history:
        for number in range(history.n[size]):
            dice = rng(seed, "history", history.tool, number)
            day = parse_time(shift(proposal.spec.now, days=-dice.choice(history.ago)))
            moment = day.replace(hour=dice.randint(8, 17), minute=dice.randrange(0, 60, 5), second=0).strftime(DATE_TIME)
            order += 1
            yield _Event(min(moment, proposal.spec.now), order, history)


def _happen(event: _Event, tools: dict[str, CompiledTool], bench: Bench, drawer: Drawer, spec: EnvironmentSpec) -> tuple[int, int]:
    """Make one past call; returns (1 when it happened else 0, draws that were refused)."""
    tool = tools.get(event.history.tool)
    if tool is None:
        raise SpecError("history", f"there is no tool {event.history.tool}")
    for attempt in range(DRAWS_PER_EVENT):
        bench.ticks_left = OTHER_TICKS
        arguments = drawer.arguments(tool.spec.parameters, event.now, _overrides(event.history, drawer, event.now))
        if arguments is None:
            return 0, attempt
        binds = {**tool.arguments(arguments), "now": event.now, "actor": spec.actor, "_given": "[]"}
        bench.ticks_left = CALL_TICKS
        try:
            tool.run(bench, binds)
        except Exhausted as problem:
            raise PlanError("too_expensive", f"tool {tool.name}: a call of it was stopped, since it needed too much work") from problem
        except Refusal:
            continue
        except EnvironmentFault as problem:
            raise PlanError("fault_in_history", str(problem)) from problem
        return 1, attempt
    return 0, DRAWS_PER_EVENT


def _overrides(history: History, drawer: Drawer, now: str) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, generator in history.args.items():
        kind, _, rest = generator.partition(":")
        if kind == "pick":
            values[name] = drawer.dice.choice(drawer.pools[rest])
        elif kind in ("int", "money"):
            low, high, *step = (int(part) for part in rest.split(","))
            stride = step[0] if step else 1
            values[name] = low + stride * drawer.dice.randint(0, (high - low) // stride)
        elif kind == "date":
            low, high = (int(part) for part in rest.split(","))
            values[name] = shift(now[:10], days=drawer.dice.randint(low, high))
        elif kind == "const":
            values[name] = rest if (number := integer_of(rest)) is None else number
        elif kind != "draw":
            raise SpecError(f"history of {history.tool}", f"unknown generator {generator!r}")
    return values


def _plant(plant: Plant, bench: Bench, seed: int, size: str, now: str) -> None:
    names: tuple[str, ...] = ()
    try:
        cursor = bench.execute(plant.pick, {"now": now})
        rows = cursor.fetchall()
        if rows:
            names = tuple(column[0] for column in apsw.ext.query_info(bench.connection, plant.pick).description)
        rng(seed, "plant", plant.name).shuffle(rows)
        for row in rows[: plant.n[size]]:
            for sql in plant.sql:
                bench.execute(sql, {**dict(zip(names, row, strict=True)), "now": now})
    except apsw.Error as problem:
        raise SpecError(f"plant {plant.name}", str(problem)) from problem


def _check(spec: EnvironmentSpec, bench: Bench) -> None:
    """The finished world keeps its foreign keys and every guard rule; SpecError otherwise."""
    connection, bench.ticks_left = bench.connection, OTHER_TICKS
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise SpecError("world", f"{len(broken)} rows refer to nothing, the first in table {broken[0][0]}")
    for rule in spec.rules:
        if rule.kind == "guard":
            bench.ticks_left = CALL_TICKS
            try:
                row = connection.execute(rule.sql).fetchone()
            except apsw.Error as problem:
                raise SpecError(f"rule {rule.id}", f"its SQL cannot be run on the start state: {problem}") from problem
            if row is not None:
                raise SpecError(f"rule {rule.id}", f"the start state breaks it: {row}")
