import json
from pathlib import Path

import jsonschema
from pydantic import BaseModel

from envgen.bundle import schemas


class Small(BaseModel):
    size: int


def test_written_files_are_in_step_and_a_change_is_seen(tmp_path: Path) -> None:
    paths = schemas.write(schemas.CORE, tmp_path)
    assert schemas.stale(schemas.CORE, tmp_path) == []
    assert {path.name for path in paths} == {path.name for path in tmp_path.iterdir()}
    paths[0].write_text("{}")
    assert schemas.stale(schemas.CORE, tmp_path) == [paths[0].name]
    assert schemas.stale({**schemas.CORE, "small": Small}, tmp_path) == sorted([paths[0].name, "small.schema.json"])


def test_a_file_of_no_type_is_stale(tmp_path: Path) -> None:
    schemas.write({"small": Small}, tmp_path)
    (tmp_path / "gone.schema.json").write_text("{}")
    assert schemas.stale({"small": Small}, tmp_path) == ["gone.schema.json"]


def test_they_are_valid_schemas_that_accept_what_is_written(bundle: Path) -> None:
    texts = schemas.render(schemas.CORE)
    for text in texts.values():
        jsonschema.Draft202012Validator.check_schema(json.loads(text))
    for name, line in (("task", "tasks.jsonl"), ("gold", "gold.jsonl"), ("evidence", "evidence.jsonl")):
        validator = jsonschema.Draft202012Validator(json.loads(texts[f"{name}.schema.json"]))
        for text in (bundle / line).read_text().split("\n")[:-1]:
            validator.validate(json.loads(text))
    jsonschema.Draft202012Validator(json.loads(texts["bundle.schema.json"])).validate(json.loads((bundle / "bundle.json").read_text()))
