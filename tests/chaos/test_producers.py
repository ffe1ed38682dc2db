"""A writer whose broker never answers."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.chaos import producers
from tests.chaos.journal import Journal
from tests.chaos.ledger import Ledger
from tests.chaos.places import Source
from tests.cluster import KafkaCluster, eventually
from tests.cluster.ports import claim_port

HERE = Source("a", "ids", 0)


def test_a_writer_that_brings_nothing_to_its_end_is_opened_anew_and_what_it_had_left_is_in_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(producers, "_PATIENCE", 1.5)
    ledger, journal = Ledger(), Journal(tmp_path / "journal.txt")
    port = claim_port()
    nowhere = cast(KafkaCluster, SimpleNamespace(second_address=f"127.0.0.1:{port.number}"))
    with producers.Producers(journal, ledger, per_second=100) as writing:
        writing.begin(nowhere, HERE)
        sent = eventually("ids are sent", lambda: ledger.unsure_of(HERE), within=20)
        writing.rest(HERE)
        assert ledger.unsure_of(HERE) == 0
        assert len(ledger.unsure()) >= sent
        assert journal.counts()["writer opened anew"] == 1
        writing.go_on(HERE)
        eventually("the new one is written to", lambda: ledger.unsure_of(HERE), within=20)
    port.release()
