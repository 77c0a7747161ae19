"""What other projects' runs and tables are known to have failed of, asked of this one.

Calls have tests/data/calling_cases.jsonl, replies tests/data/parsing_cases.jsonl; kills, deleted
and damaged files tests/workflow/. Here stand the others.
"""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset
import pytest
import yaml

from tests.store.test_files import cell as director_cell
from tests.triangles.test_cells import cell
from vlmtom.errors import BadConfig
from vlmtom.settings import Registry, load_registry, load_settings
from vlmtom.store import schemas, write_rows
from vlmtom.triangles.cells import profiles

ROOT = Path(__file__).parents[1]
CODE = sorted((ROOT / "src").rglob("*.py"))


@pytest.mark.parametrize("schema", schemas.SCHEMAS, ids=lambda schema: schema.name)
def test_a_file_of_nulls_and_an_empty_one_are_read_beside_a_full_one(tmp_path, schema):
    """A column that is null in one file only must not get another type there."""
    full, empty = schema.table([]), schema.table([])
    for name in ("a", "b"):
        write_rows(tmp_path / f"{name}.parquet", [], schema)
    paths = [str(path) for path in sorted(tmp_path.glob("*.parquet"))]
    assert pa.concat_tables([full, empty]).schema.equals(schema.arrow())
    assert pyarrow.dataset.dataset(paths).to_table().schema.equals(schema.arrow())


def test_a_judge_that_is_missing_is_in_no_mean_and_no_median():
    rows = [cell(3, judge="j1"), cell(None, judge="j2"), cell(5, judge="j3")]
    rows += [cell(None, clip="c2", judge=judge) for judge in ("j1", "j2", "j3")]
    for aggregation in ("mean_of_judges", "median_of_judges"):
        (found,) = [row for row in profiles(rows, aggregation) if row.n_planned]
        assert found.intent == 4
        assert (found.n_cells, found.n_planned, found.n_missing) == (2, 6, 4)


def test_nothing_is_joined_without_saying_how_often_a_key_may_stand():
    """Rows are looked up in dicts that refuse a second one; pandas is asked to merge nowhere."""
    merges = [path for path in CODE if re.search(r"\.merge\(", path.read_text(encoding="utf-8"))]
    assert merges == []


def test_pictures_are_encoded_in_memory_and_written_like_every_file():
    """cv2.imwrite says nothing of a folder that is missing or a disk that is full."""
    writers = [path for path in CODE if "imwrite" in path.read_text(encoding="utf-8")]
    assert writers == []


@pytest.mark.parametrize("slug", ["openai/gpt-5.5", "qwen2.5:72b", "deepseek/deepseek-r1:free"])
def test_an_id_that_makes_no_path_is_refused_as_a_name_and_kept_as_an_id(slug):
    with pytest.raises(BadConfig, match="cannot be used in a path"):
        load_settings({"testers": [slug]})
    entry = {"endpoint": "e", "gateway_model": slug, "family": "f", "lab": "l"}
    endpoint = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1"}
    registry = Registry.model_validate({"endpoints": {"e": endpoint}, "models": {"a-name": entry}})
    assert registry.models["a-name"].gateway_model == slug


def test_names_that_differ_only_in_case_cannot_both_be_in_the_registry(tmp_path):
    entry = {"endpoint": "e", "gateway_model": "m", "family": "f", "lab": "l"}
    endpoint = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1"}
    registry = {"endpoints": {"e": endpoint}, "models": {"gpt-x": entry, "GPT-X": entry}}
    (tmp_path / "models.yaml").write_text(yaml.safe_dump(registry))
    settings = load_settings({"testers": ["gpt-x"], "models": "models.yaml"})
    with pytest.raises(BadConfig, match="GPT-X"):
        load_registry(settings, tmp_path)


def test_no_profile_keeps_what_a_failed_job_left():
    for path in (ROOT / "profiles").glob("*/config.yaml"):
        profile = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert not profile.get("keep-incomplete"), path
    default = yaml.safe_load((ROOT / "profiles" / "default" / "config.yaml").read_text())
    assert default["rerun-incomplete"] is True


def test_a_null_column_keeps_its_type_beside_a_full_one(tmp_path):
    """Two testers' cells, one without any usable trial."""
    for name, value in (("a", True), ("b", None)):
        rows = [director_cell(tester=name, value=value)]
        write_rows(tmp_path / f"{name}.parquet", rows, schemas.DIRECTOR_CELLS)
    paths = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    table = pyarrow.dataset.dataset(paths).to_table()
    assert table["value"].to_pylist() == [True, None]
    assert table.schema.equals(schemas.DIRECTOR_CELLS.arrow())
