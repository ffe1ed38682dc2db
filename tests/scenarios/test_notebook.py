"""What a notebook shows of a query that runs."""

from dynamic_kafka import progress

from tests.cluster import KafkaCluster
from tests.scenarios.conftest import Name
from tests.scenarios.listing import on
from tests.scenarios.producing import write
from tests.scenarios.scene import Scene


def test_the_table_and_the_plot_show_clusters_and_changes_of_a_query(
    a: KafkaCluster, b: KafkaCluster, scene: Scene, fresh_name: Name
) -> None:
    topic = fresh_name("topic")
    for cluster in (a, b):
        cluster.create_topic(topic)
    scene.publish("orders", {"a": on(a, topic)})
    running = scene.start(scene.read("orders").load())
    expected = write(a, topic, "first")
    running.await_values(expected)
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic)})
    expected += write(b, topic, "second")
    running.await_values(expected)
    running.await_answers()  # whose progress shows that b appeared
    scene.publish("orders", {"a": on(a, topic), "b": on(b, topic, paused=True)})
    running.await_state("b", "paused")
    write(b, topic, "waits")
    running.await_metric("cluster.b.pendingRecords", lambda seen: seen == "1")
    shown = progress(running.query)
    assert shown.clusters == ["a", "b"]
    assert {row.cluster: (row.state, row.pending) for row in shown.rows()} == {"a": ("reading", 0), "b": ("paused", 1)}
    assert [change.what for change in shown.changes][-2:] == [f"appeared=b topicsAdded=b:[{topic}]", "paused=b"]
    assert "paused" in shown._repr_html_()
    marks = [text.get_text() for text in shown.plot().texts]
    assert any(text.endswith("paused=b") for text in marks), marks
