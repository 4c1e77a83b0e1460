"""A hypothesis provider that draws evenly, without the constants of the modules that happen to be loaded.

An exploration must be the same whatever else is imported, and collecting the constants of a whole program takes a second.
"""

from typing import Any

from hypothesis.internal.conjecture.providers import HypothesisProvider


class PlainProvider(HypothesisProvider):
    """Hypothesis's own provider less `_maybe_draw_constant`."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None
