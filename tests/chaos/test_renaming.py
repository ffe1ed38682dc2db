"""What a warning prints is what a renamed cluster is given."""

from tests.chaos.renaming import NOTHING, starting_offsets

LINE = (
    "13:00:00.000 WARN Metadata [x] [DYNAMIC_KAFKA_CLUSTER_DUPLICATED] Cluster a too is the Kafka cluster that is "
    "known as a. What both have in common is not read twice: topic {topics}. To go on reading under the id a too, "
    "give it these startingOffsets: {offsets}\n"
)


def test_the_last_warning_counts_and_only_if_it_names_all_topics() -> None:
    first = LINE.format(topics="t", offsets='{"t":{"0":1}}')
    last = LINE.format(topics="t, u", offsets='{"t":{"0":2},"u":{"0":3}}')
    assert starting_offsets(first + last, "a too", {"t", "u"}) == '{"t":{"0":2},"u":{"0":3}}'
    assert starting_offsets(last + first, "a too", {"t", "u"}) is None
    assert starting_offsets(first, "a too", {"t"}) == '{"t":{"0":1}}'
    assert starting_offsets(first, "a too", set()) == NOTHING


def test_without_a_warning_of_this_id_there_is_nothing_to_give() -> None:
    assert starting_offsets("", "a too", {"t"}) is None
    assert starting_offsets(LINE.format(topics="t", offsets="{}"), "b", {"t"}) is None
