"""Arguments drawn for a tool call, from each parameter's `x-column`, `enum` or `x-domain`. Used by history, planner and gates."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apsw

from envgen.core.clock import DATE, DATE_TIME, parse_time, shift
from envgen.core.types import JsonObject
from envgen.database.snapshot import quote
from envgen.database.spec import EnvironmentSpec

Execute = Callable[..., apsw.Cursor]


class Drawer:
    """Draws arguments against the rows of one connection.

    pools: texts by pool name. narrow: "table.column" -> the values to draw from instead of the whole column, for a planner
    that stays with one person. skew: how unevenly values of a column are taken (0 even; 1 makes early rows frequent).
    frozen: read each column once; for many draws between which the rows hardly change.
    """

    def __init__(
        self,
        execute: Execute,
        dice: random.Random,
        *,
        pools: Mapping[str, Sequence[str]] | None = None,
        narrow: Mapping[str, Sequence[Any]] | None = None,
        skew: float = 0.0,
        frozen: bool = False,
    ) -> None:
        self.execute, self.dice = execute, dice
        self.pools = pools or {}
        self.narrow = narrow or {}
        self.skew = skew
        self._read: dict[str, list[Any]] | None = {} if frozen else None

    def arguments(
        self, parameters: JsonObject, now: str, fixed: Mapping[str, Any] | None = None, *, optional: float = 0.5
    ) -> JsonObject | None:
        """Return arguments for `parameters`, or None when a column has no value to draw.

        fixed: values that are given. optional: the chance that a parameter which is not required is passed at all.
        """
        values: JsonObject = dict(fixed or {})
        required = set(parameters.get("required", ()))
        for name, child in parameters.get("properties", {}).items():
            if name in values or (name not in required and self.dice.random() >= optional):
                continue
            value = self.value(child, now, values, parameters)
            if value is None:
                return None
            values[name] = value
        return {name: values[name] for name in parameters.get("properties", {}) if name in values}

    def value(self, child: JsonObject, now: str, values: JsonObject, parameters: JsonObject) -> Any:
        """Return one value for the parameter schema `child`, or None."""
        if "enum" in child:
            return self.dice.choice(child["enum"])
        if "x-column" in child:
            return self._from_column(child["x-column"])
        if child.get("type") == "array":
            return self._array(child, now, values, parameters)
        return self._from_domain(child.get("x-domain", {}), child, now, values, parameters)

    def _array(self, child: JsonObject, now: str, values: JsonObject, parameters: JsonObject) -> Any:
        size = self.dice.randint(max(1, child.get("minItems", 1)), min(3, child.get("maxItems", 3)))
        item = child["items"]
        if item.get("type") != "object":
            return [self.value(item, now, values, parameters) for _ in range(size)]
        rows = [self.arguments(item, now) for _ in range(size)]
        return rows if all(row is not None for row in rows) else None

    def _from_column(self, column: str) -> Any:
        choices = self.narrow.get(column)
        if choices is None:
            choices = self._column(column)
        if not choices:
            return None
        if self.skew:
            index = min(int(self.dice.expovariate(self.skew * 4.0 / len(choices))), len(choices) - 1)
            return choices[index]
        return self.dice.choice(choices)

    def _column(self, column: str) -> list[Any]:
        if self._read is None:
            return column_values(self.execute, column)
        if column not in self._read:
            self._read[column] = column_values(self.execute, column)
        return self._read[column]

    def _from_domain(self, domain: JsonObject, child: JsonObject, now: str, values: JsonObject, parameters: JsonObject) -> Any:
        if "int" in domain:
            low, high = domain["int"]
            step = domain.get("step", 1)
            return low + step * self.dice.randint(0, (high - low) // step)
        if "days_from_now" in domain:
            low, high = domain["days_from_now"]
            moved = parse_time(shift(now, days=self.dice.randint(low, high)))
            if child.get("format") == "date":
                return moved.strftime(DATE)
            return moved.replace(hour=self.dice.randint(8, 18), minute=0, second=0).strftime(DATE_TIME)
        if "text" in domain:
            pool = self.pools.get(domain["text"]) or domain.get("samples") or ("as agreed", "see the file", "by phone")
            return self.dice.choice(pool)
        if "column" in domain:
            return self._share(domain, values, parameters)
        return None

    def _share(self, domain: JsonObject, values: JsonObject, parameters: JsonObject) -> Any:
        """A part of a column's value: of the row that another argument names when there is one, else of any row."""
        table, _, column = domain["column"].partition(".")
        where, binds = "", []
        for name, child in parameters.get("properties", {}).items():
            if name in values and child.get("x-column", "").split(".")[0] == table:
                where, binds = f" WHERE {quote(child['x-column'].split('.')[1])} = ?", [values[name]]
        sql = f"SELECT {quote(column)} FROM main.{quote(table)}{where} ORDER BY 1"
        found = [row[0] for row in self.execute(sql, binds) if row[0]]
        if not found:
            return None
        low, high = domain.get("times", [1, 1])
        whole = self.dice.choice(found)
        if isinstance(whole, str):
            return whole
        times = self.dice.choice([high, low + (high - low) / 2, low + (high - low) / 4])
        return _round(int(whole * times)) or whole


def with_samples(spec: EnvironmentSpec, pools: Mapping[str, Sequence[str]], count: int = 6) -> EnvironmentSpec:
    """Return `spec` with a few texts of each pool written beside its name, so that a bundle can draw without the pools."""
    data = spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for tool in data["tools"]:
        for child in tool["parameters"].get("properties", {}).values():
            pool = pools.get(child.get("x-domain", {}).get("text", ""))
            if pool:
                child["x-domain"]["samples"] = list(pool[:count])
    return EnvironmentSpec.model_validate(data)


def _round(cents: int) -> int:
    """Return an amount that people name: whole hundreds from 10.00 up, else whole fifties."""
    return cents if cents < 100 else cents // 100 * 100 if cents >= 1000 else cents // 50 * 50


def column_values(execute: Execute, column: str) -> list[Any]:
    """Return the distinct values of "table.column" that are not NULL, in order."""
    table, _, name = column.partition(".")
    sql = f"SELECT DISTINCT {quote(name)} FROM main.{quote(table)} WHERE {quote(name)} IS NOT NULL ORDER BY 1"
    return [row[0] for row in execute(sql)]
