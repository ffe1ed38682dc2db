"""The usual scene of a test: streams that are listed somewhere, and queries of them."""

from collections.abc import Callable

from dynamic_kafka import DynamicKafkaSourceBuilder

from tests.scenarios.listing import FileListing, ProgramListing
from tests.scenarios.queries import Queries


class Scene:
    """Publishes where streams live, makes reads of them, and starts these."""

    def __init__(
        self, listing: ProgramListing | FileListing, queries: Queries, source: Callable[..., DynamicKafkaSourceBuilder]
    ) -> None:
        self.service, self.publish, self.start = listing.service, listing.publish, queries.start
        self._source = source

    def read(self, *stream_ids: str) -> DynamicKafkaSourceBuilder:
        """The read of these streams, from the earliest offsets."""
        return self._source(self.service, *stream_ids)
