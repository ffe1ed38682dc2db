"""What the broker's word on a record says."""

from confluent_kafka import Message

from tests.chaos.producers import place_of


def test_a_confirmation_without_an_offset_does_not_say_where_the_record_is() -> None:
    assert place_of(Message(topic="ids", partition=2, offset=7)) == (2, 7)
    assert place_of(Message(topic="ids", partition=0, offset=0)) == (0, 0)
    assert place_of(Message(topic="ids", partition=2, offset=-1)) is None
