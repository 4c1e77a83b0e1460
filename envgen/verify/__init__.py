"""Verification of database episodes: change sets, expectations, typed answers, rules and the verdict."""

from envgen.verify.answer import answer_matches
from envgen.verify.changes import ChangeSet, TableInfo, compose, row_difference
from envgen.verify.expectation import derive
from envgen.verify.judge import judge
from envgen.verify.rules import broken_rules, create_trace
from envgen.verify.state import StateMatch, match

__all__ = [
    "ChangeSet",
    "StateMatch",
    "TableInfo",
    "answer_matches",
    "broken_rules",
    "compose",
    "create_trace",
    "derive",
    "judge",
    "match",
    "row_difference",
]
