import sys

import pytest
from toy import spec

from envgen.view.graph import graph_lines


def test_each_parameter_names_the_tools_that_show_its_column() -> None:
    assert list(graph_lines(spec())) == ["  adopt.animal_id (animals.id) <- list_animals"]


def test_without_the_extra_it_says_what_is_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "envgen.database.graph", None)
    assert list(graph_lines(spec())) == ["  needs the synth extra: pip install 'envgen-rl[synth]'"]
