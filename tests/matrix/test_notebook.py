"""A notebook, whose cells run in Jupyter's own event loop and find a session that runs already."""

import json
from pathlib import Path

import pytest
import yaml

from tests.matrix.corners import SPARKS, python_with_notebooks, spark_folder
from tests.readme import ROOT, printed_by
from tests.scenarios.spark_programs import SmallStream

PROGRAM = ROOT / "tests" / "matrix" / "notebook_program.py"
PATIENCE = 120


@pytest.mark.matrix
@pytest.mark.parametrize("spark", SPARKS)
def test_cells_of_a_notebook_read_rows_by_a_file_and_by_a_service_of_their_own(
    spark: str, wheel: Path, small: SmallStream, tmp_path: Path
) -> None:
    python = python_with_notebooks(spark, wheel)
    (stream,) = yaml.safe_load(small.streams.read_text())
    clusters = {it["clusterId"]: (it["bootstrapServers"], it["topics"]) for it in stream["clusterMetadataList"]}
    command = [str(python), str(PROGRAM), str(small.streams), small.stream_id, json.dumps(clusters)]
    home = {"SPARK_HOME": str(spark_folder(spark) / "pyspark"), "PYSPARK_SUBMIT_ARGS": "pyspark-shell"}
    variables = {"PYTHONPATH": "", "PYSPARK_PYTHON": str(python), **home}
    found = json.loads(printed_by(command, tmp_path, variables, within=PATIENCE).splitlines()[-1])
    assert found == {"file": small.values, "kernel": small.values}
