"""Checks of the pattern library: each optional feature matters, and features go together."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from envgen.core.errors import SpecError, UsageError
from envgen.core.types import JsonObject
from envgen.database.analysis import analyse
from envgen.database.grammar_compose import Features, compose
from envgen.database.grammar_lexicon import lexicons, patterns
from envgen.database.grammar_spec import build_spec
from envgen.database.spec import EnvironmentSpec

LEAST_TOOLS = 2


def check_patterns(names: Sequence[str] | None = None) -> list[str]:
    """Return what is wrong with the patterns called `names` (all without), in words; an empty list when nothing is.

    Checked are: every optional feature changes the guards, effects or results of at least two tools, and every pair of
    optional features gives a specification that passes the static analysis. UsageError for an unknown name.
    """
    unknown = sorted(set(names or ()) - set(patterns()))
    if unknown:
        raise UsageError(f"no pattern {unknown[0]!r}; there are: {', '.join(patterns())}")
    return [problem for name in names or patterns() for problem in _problems(name)]


def optional_features(name: str) -> list[str]:
    """Return the features of pattern `name` that a seed may leave out; those with `p = 1` only draw numbers."""
    return [feature for feature, options in patterns()[name].get("features", {}).items() if options.get("p", 0.6) < 1]


def _problems(name: str) -> Iterator[str]:
    key, bound = _host(name)
    optional = optional_features(name)
    whole = _spec(key, _features(bound, {}))
    for feature in optional:
        without = _spec(key, _features(bound, {name: {feature}}))
        changed = changed_tools(whole, without)
        if len(changed) < LEAST_TOOLS:
            yield f"pattern {name}, feature {feature}: it changes {changed or 'no tool'}, at least {LEAST_TOOLS} are needed"
    for pair in combinations(optional, 2):
        others = {feature for feature in optional if feature not in pair}
        yield from _static(key, bound, name, others, f"pattern {name} with {' and '.join(pair)} alone")
    if len(optional) < 2:
        yield from _static(key, bound, name, set(optional), f"pattern {name} without features")


def _static(key: str, bound: Sequence[str], name: str, off: set[str], where: str) -> Iterator[str]:
    try:
        yield from (f"{where}: {problem}" for problem in analyse(_spec(key, _features(bound, {name: off}))))
    except SpecError as problem:
        yield f"{where}: {problem}"


def changed_tools(one: EnvironmentSpec, other: EnvironmentSpec) -> list[str]:
    """Return the keys of tools that only one specification has, or whose arguments or steps differ."""
    left, right = ({tool.key: (tool.parameters, tool.steps) for tool in spec.tools} for spec in (one, other))
    return sorted(key for key in {*left, *right} if left.get(key) != right.get(key))


def _host(name: str) -> tuple[str, tuple[str, ...]]:
    """A lexicon that has words for pattern `name` and those it needs, with the patterns to bind."""
    known = patterns()
    bound = {"party", name}
    for needed in known[name].get("needs", []):
        bound |= {other for other, data in known.items() if needed in data["roles"]}
    order = tuple(sorted(bound, key=lambda other: (known[other].get("rank", 50), other)))
    wanted = {role for other in order for role, words in known[other]["roles"].items() if "one" not in words}
    for key, lexicon in lexicons().items():
        if all("one" in lexicon["roles"].get(role, {}) for role in wanted):
            return key, order
    raise SpecError(f"pattern {name}", "no lexicon has words for it")


def _features(bound: Sequence[str], off: dict[str, set[str]]) -> Features:
    def kept(name: str) -> dict[str, JsonObject]:
        dropped = off.get(name, set())
        return {feature: _first(options) for feature, options in patterns()[name].get("features", {}).items() if feature not in dropped}

    return {name: kept(name) for name in bound}


def _first(options: JsonObject) -> JsonObject:
    return {name: values[0] for name, values in options.items() if isinstance(values, list)}


def _spec(key: str, features: Features) -> EnvironmentSpec:
    return build_spec(compose(key, seed=0, features=features))
