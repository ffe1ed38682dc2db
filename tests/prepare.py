"""``python -m tests.prepare``: makes what the first scenarios of a fresh clone would wait for."""

from tests.cluster.clusters import prepare_brokers
from tests.monitoring import prometheus
from tests.scenarios import quick_spark


def main() -> None:
    prepare_brokers()
    quick_spark.java_options()
    prometheus.tool("prometheus")


if __name__ == "__main__":
    main()
