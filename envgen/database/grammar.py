"""The offline proposer: business patterns (`templates/patterns`) in the words of a trade (`templates/domains`).

`propose` draws which optional features a seed turns on, gives every name out once, renders the patterns, links them by facts
that block each other's tools, and returns the specification with the language in which tasks are worded.
"""

from envgen.core.types import JsonObject
from envgen.database.draw import with_samples
from envgen.database.grammar_check import check_patterns
from envgen.database.grammar_compose import Features, compose
from envgen.database.grammar_lexicon import DomainInfo, Size, choose_lexicon, lexicons, list_domains
from envgen.database.grammar_spec import build_spec
from envgen.database.grammar_words import build_language
from envgen.database.language import Proposal

__all__ = ["DomainInfo", "check_patterns", "list_domains", "propose"]


def propose(domain: str, *, seed: int, size: Size, lexicon: str | None = None) -> Proposal:
    """Return a specification and its language for a domain phrase; the same inputs give the same proposal.

    `lexicon` forces one; otherwise the phrase's own, else the nearest, which the proposal's notes then say.
    UsageError for a phrase that names nothing, SpecError when a pattern or lexicon file is at fault.
    """
    key, exact = choose_lexicon(domain, lexicon)
    work = compose(key, seed=seed, size=size, phrase=None if exact else domain)
    spec = build_spec(work)
    language = build_language(work, spec)
    notes = () if exact else (f"no lexicon for {domain.strip()!r}; nearest is {lexicons()[key]['domain']!r}, wording is generic",)
    return Proposal(spec=with_samples(spec, language.pools), language=language, features=_flat(work.features), notes=notes)


def _flat(features: Features) -> JsonObject:
    return {f"{pattern}.{feature}": numbers for pattern, chosen in features.items() for feature, numbers in chosen.items()}
