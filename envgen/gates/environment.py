"""Environment gates E1, E2, E4 and E5 (E3 is in procedural.py)."""

from collections.abc import Sequence

from envgen.core.errors import SpecError
from envgen.database.analysis import analyse, analyse_tools, schema_connection
from envgen.database.engine import memory
from envgen.database.graph import unreachable
from envgen.database.runtime import DatabaseEnvironment
from envgen.database.schema import ddl
from envgen.database.spec import EnvironmentSpec
from envgen.gates.finding import Finding, failed, passed, verdict_of
from envgen.gates.play import world_tables
from envgen.gates.replay import walks
from envgen.gates.witness import seek


def schema_builds(environment: DatabaseEnvironment) -> Finding:
    """E1: the declared schema builds and is the world's, rows violate nothing, no table is empty, and new ids are free."""
    spec, world = environment.spec, environment.world
    try:
        declared = _declared_tables(spec)
    except SpecError as problem:
        return failed(str(problem))
    tables = world_tables(world)
    problems = [f"table {name} is not as declared" for name in sorted({*declared, *tables}) if declared.get(name) != tables.get(name)]
    problems += [f"table {row[0]}, row {row[1]}: no such row in {row[2]}" for row in world.execute("PRAGMA foreign_key_check")]
    problems += [str(row[0]) for row in world.execute("PRAGMA integrity_check") if row[0] != "ok"]
    counts = {name: world.execute(f'SELECT count(*) FROM "{name}"').get for name in tables}
    problems += [f"table {name} is empty" for name, count in counts.items() if not count]
    problems += _counters(environment)
    return verdict_of(problems, tables=len(tables), rows=sum(counts.values()))


def _declared_tables(spec: EnvironmentSpec) -> dict[str, list[str]]:
    connection = memory()
    for statement in ddl(spec):
        try:
            connection.execute(statement)
        except Exception as problem:
            raise SpecError(f"schema: {statement.splitlines()[0]}", str(problem)) from problem
    return world_tables(connection)


def _counters(environment: DatabaseEnvironment) -> list[str]:
    """The engine's next ids must lie above the ids that are there."""
    world, problems = environment.world, []
    if not list(world.execute("SELECT 1 FROM sqlite_master WHERE name = '_ids'")):
        return []
    for target, following in list(world.execute("SELECT tbl, next FROM _ids ORDER BY tbl")):
        table, _, column = target.partition(".")
        highest = world.execute(f'SELECT max("{column}") FROM "{table}" WHERE typeof("{column}") = \'integer\'').get
        if highest is not None and highest >= following:
            problems.append(f"the next id of {target} is {following}, but {highest} is taken")
    return problems


def statically_sound(environment: DatabaseEnvironment) -> Finding:
    """E2: every promise that can be read off the specification holds; what a task needs is visible through read tools."""
    problems = [str(problem) for problem in analyse(environment.spec)]
    if not problems:
        analyses = analyse_tools(environment.spec, schema_connection(environment.spec))
        problems = [f"no chain of look-ups leads to {taken}" for taken in unreachable(environment.spec, analyses)]
    return verdict_of(problems, tools=len(environment.spec.tools), rules=len(environment.spec.rules))


def same_elsewhere(environment: DatabaseEnvironment, elsewhere: Sequence[Sequence[str]]) -> Finding:
    """E4: drawn calls show and leave the same in another process, under another hash seed, time zone, wall clock and scan order."""
    here = walks(environment)
    for number, (one, other) in enumerate(zip(here, elsewhere, strict=True)):
        for turn, (left, right) in enumerate(zip(one, other, strict=True)):
            if left != right:
                return failed(f"walk {number} differs from call {turn} ({_tool_at(environment, number, turn, len(one))}) on")
    return passed(walks=len(here), calls=sum(len(one) - 1 for one in here))


def _tool_at(environment: DatabaseEnvironment, walk: int, turn: int, size: int) -> str:
    tools = sorted(environment.compiled)
    return "the final rows" if turn == size - 1 else tools[(walk * (size - 1) + turn) % len(tools)]


def everything_happens(environment: DatabaseEnvironment) -> Finding:
    """E5: every tool has succeeded and every guard has refused, in examples, golds or drawn calls."""
    witnesses = seek(environment)
    return verdict_of(witnesses.missing(), tools=len(witnesses.tools), guards=len(witnesses.guards))
