"""Reports of JMH's."""

import json
from pathlib import Path
from typing import Any

from bench import jmh
from bench.driver_scale import ALLOCATED, EVENT, FIGURES, HELD, METRICS, PLAN, TEXT, WRITE, readings_of

_OWNER = "io.github.dynamickafka.spark.bench"


def _result(name: str, unit: str, *values: float, **more: list[float]) -> dict[str, Any]:
    return {
        "benchmark": f"{_OWNER}.{name}",
        "params": {"size": "100x10"},
        "primaryMetric": {"scoreUnit": unit, "rawData": [list(values)]},
        "secondaryMetrics": {key: {"rawData": [found]} for key, found in more.items()},
    }


def test_results_of_jmh_become_readings(tmp_path: Path) -> None:
    report = tmp_path / "jmh.json"
    report.write_text(
        json.dumps(
            [
                _result("DriverSteps.plan", "s/op", 0.1, 0.2, **{"gc.alloc.rate.norm": [7.0]}),
                _result("DriverSteps.writeOffset", "s/op", 0.3, textBytes=[5.0], heldBytes=[6.0]),
                _result("DriverSteps.metrics", "s/op", 0.4, figureBytes=[8.0], eventBytes=[9.0]),
                _result("ColumnValues.topic", "ns/op", 2.5),
            ]
        )
    )
    made = [(one.suite, one.case, one.metric, one.unit, one.values) for one in readings_of(jmh.report(report))]
    assert made == [
        ("driver", "100 x 10", PLAN, "s", (0.1, 0.2)),
        ("driver", "100 x 10", ALLOCATED, "B", (7.0,)),
        ("driver", "100 x 10", WRITE, "s", (0.3,)),
        ("driver", "100 x 10", TEXT, "B", (5.0,)),
        ("driver", "100 x 10", HELD, "B", (6.0,)),
        ("driver", "100 x 10", METRICS, "s", (0.4,)),
        ("driver", "100 x 10", FIGURES, "B", (8.0,)),
        ("driver", "100 x 10", EVENT, "B", (9.0,)),
        ("columns", "topic", "value", "ns", (2.5,)),
    ]
