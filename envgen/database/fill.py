"""Base rows: one generator per column, content keyed by (seed, table, row) so that one row regenerates alone."""

import random
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import Any

from envgen.core.clock import DATE, DATE_TIME, parse_time
from envgen.core.data import data_path
from envgen.core.digest import rng
from envgen.core.errors import SpecError
from envgen.core.numbers import integer_of
from envgen.database.language import Filling

Row = dict[str, Any]
REDRAWS = 24


@lru_cache(maxsize=1)
def names() -> dict[str, Any]:
    """Return `templates/names.toml`: given names by gender, and surnames."""
    with data_path("templates/names.toml").open("rb") as file:
        return tomllib.load(file)


def gender(full_name: str) -> str | None:
    """Return "f" or "m" for a generated full name, by its given name; None when the list does not know it."""
    given = full_name.split(" ", 1)[0]
    return next((key for key in ("f", "m") if given in names()["given"][key]), None)


def full_name(seed: int, table: str, index: int, count: int) -> str:
    """Return the name of person `index` of `count`: distinct, but for the last three, who are namesakes of earlier ones."""
    if count >= 13 and index >= count - 3:
        index = (count - index) * 3
    given, surnames = _shuffled_names(seed, table)
    turn, place = divmod(index, len(given))
    # Person 1 shares the surname of person 0, as relatives and strangers do.
    surname = surnames[((0 if place < 2 else place) + 13 * turn) % len(surnames)]
    return f"{given[place]} {surname}"


@lru_cache(maxsize=16)
def _shuffled_names(seed: int, table: str) -> tuple[list[str], list[str]]:
    given = names()["given"]["f"] + names()["given"]["m"]
    surnames = list(names()["surnames"])
    rng(seed, table, "given").shuffle(given)
    rng(seed, table, "surnames").shuffle(surnames)
    return given, surnames


@lru_cache(maxsize=64)
def _shuffled(items: Sequence[Any], seed: int, table: str, name: str) -> Sequence[Any]:
    """`items`, a tuple or range, in an order that belongs to this seed, table and name; kept, since every row asks for it."""
    found = list(items)
    rng(seed, table, name).shuffle(found)
    return tuple(found)


class Filler:
    """Fills the tables of one world in the order given; later tables may refer to earlier ones."""

    def __init__(self, seed: int, now: str, pools: Mapping[str, Sequence[str]]) -> None:
        self.seed, self.now, self.pools = seed, parse_time(now), pools
        self.rows: dict[str, list[Row]] = {}

    def fill(self, filling: Filling, size: str, first_id: int, accept: Callable[[Row], bool] | None = None) -> list[Row]:
        """Return the rows of one table. "serial" counts from `first_id`. SpecError names a generator that cannot be.

        accept: puts a row where it belongs, or returns False; the row is then drawn again, and left out after REDRAWS times.
        """
        each = next((generator[5:] for generator in filling.columns.values() if generator.startswith("each:")), None)
        count = len(self.rows[each]) if each else filling.rows[size]
        rows = []
        for index in range(count):
            for attempt in range(REDRAWS if accept else 1):
                row = self._row_at(filling, index, count, first_id, attempt)
                if accept is None or accept(row):
                    rows.append(row)
                    break
        self.rows[filling.table] = rows
        return rows

    def _row_at(self, filling: Filling, index: int, count: int, first_id: int, attempt: int) -> Row:
        row: Row = {}
        for column, generator in filling.columns.items():
            dice = rng(self.seed, filling.table, column, index, *([attempt] if attempt else []))
            row[column] = self._value(generator, filling.table, column, index, count, row, dice, first_id)
        return row

    def _value(self, generator: str, table: str, column: str, index: int, count: int, row: Row, dice: random.Random, first_id: int) -> Any:
        kind, _, rest = generator.partition(":")
        if kind == "null":
            chance, _, inner = rest.partition(":")
            return None if dice.random() < float(chance) else self._value(inner, table, column, index, count, row, dice, first_id)
        method = getattr(self, f"_{kind}", None)
        if method is None:
            raise SpecError(f"filling of {table}.{column}", f"unknown generator {generator!r}")
        return method(rest, _Place(table, column, index, count, row, dice, first_id))

    def _serial(self, rest: str, place: "_Place") -> int:
        return place.first_id + place.index

    def _person(self, rest: str, place: "_Place") -> str:
        return full_name(self.seed, place.table, place.index, place.count)

    def _email(self, rest: str, place: "_Place") -> str:
        name = next((value for value in place.row.values() if isinstance(value, str) and " " in value), place.table)
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        local = "".join(char if char.isalnum() else "." for char in plain).strip(".").replace("..", ".")
        twin = sum(1 for index in range(place.index) if full_name(self.seed, place.table, index, place.count) == name)
        return f"{local}{twin + 1 if twin else ''}@example.org"

    def _phone(self, rest: str, place: "_Place") -> str:
        # 07700 900000 to 900999 is the range that Ofcom keeps free for fiction; larger worlds go on in the next block.
        return f"07700 {900000 + (place.index * 37) % 1000 + place.index // 1000 * 1000:06d}"

    def _pick(self, rest: str, place: "_Place") -> str:
        return place.dice.choice(self._pool(rest, place))

    def _unique(self, rest: str, place: "_Place") -> str:
        pool = _shuffled(tuple(self._pool(rest, place)), self.seed, place.table, place.column)
        if place.index >= len(pool):
            raise SpecError(f"filling of {place.table}.{place.column}", f"pool {rest} has {len(pool)} texts, {place.count} are needed")
        return str(pool[place.index])

    def _row(self, rest: str, place: "_Place") -> Any:
        """Part `i` of one "a|b|c" entry: all `row:` columns of a row share the entry; a pool that runs out starts again."""
        pool, _, part = rest.partition(",")
        texts = _shuffled(tuple(self._pool(pool, place)), self.seed, place.table, pool)
        value = texts[place.index % len(texts)].split("|")[int(part)].strip()
        return value if (number := integer_of(value)) is None else number

    def _pool(self, name: str, place: "_Place") -> Sequence[str]:
        if not self.pools.get(name):
            raise SpecError(f"filling of {place.table}.{place.column}", f"no pool {name!r}")
        return self.pools[name]

    def _int(self, rest: str, place: "_Place") -> int:
        low, high = _numbers(rest)
        return place.dice.randint(low, high)

    def _money(self, rest: str, place: "_Place") -> int:
        low, high, step = _numbers(rest)
        return low + step * place.dice.randint(0, (high - low) // step)

    def _date(self, rest: str, place: "_Place") -> str:
        low, high = _numbers(rest)
        return (self.now + timedelta(days=place.dice.randint(low, high))).strftime(DATE)

    def _moment(self, rest: str, place: "_Place") -> str:
        low, high, opens, closes = _numbers(rest)
        day = self.now + timedelta(days=place.dice.randint(low, high))
        return day.replace(hour=place.dice.randint(opens, closes), minute=place.dice.choice((0, 30)), second=0).strftime(DATE_TIME)

    def _flag(self, rest: str, place: "_Place") -> int:
        return int(place.dice.random() < float(rest))

    def _ref(self, rest: str, place: "_Place") -> Any:
        if not self.rows.get(rest):
            raise SpecError(f"filling of {place.table}.{place.column}", f"table {rest} has no rows to refer to")
        return place.dice.choice(self.rows[rest])["id"]

    def _each(self, rest: str, place: "_Place") -> Any:
        return self.rows[rest][place.index]["id"]

    def _const(self, rest: str, place: "_Place") -> Any:
        return rest if (number := integer_of(rest)) is None else number

    def _code(self, rest: str, place: "_Place") -> str:
        number: int = _shuffled(range(1000, 9999), self.seed, place.table, place.column)[place.index]
        return rest.format(number)

    def _copy(self, rest: str, place: "_Place") -> Any:
        return place.row[rest]


class _Place:
    """Where a value is being made: table, column, row number, the row so far, and dice of its own."""

    __slots__ = ("column", "count", "dice", "first_id", "index", "row", "table")

    def __init__(self, table: str, column: str, index: int, count: int, row: Row, dice: random.Random, first_id: int) -> None:
        self.table, self.column, self.index, self.count = table, column, index, count
        self.row, self.dice, self.first_id = row, dice, first_id


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]
