"""A step that is repeated on a thread of its own."""

import pytest

from tests.cluster.repeated import Repeated
from tests.cluster.waiting import eventually


class Counted(Repeated):
    """Counts its steps, and fails at one of them."""

    def __init__(self, fails_at: int = 0) -> None:
        super().__init__("counted", pause=0.001)
        self.steps, self._fails_at = 0, fails_at

    def _step(self) -> None:
        self.steps += 1
        if self.steps == self._fails_at:
            raise ValueError(f"step {self.steps}")

    def await_steps(self, count: int) -> None:
        eventually(f"{count} steps", lambda: self.steps, until=lambda seen: seen >= count, within=20)


def test_steps_are_taken_until_the_block_ends() -> None:
    with Counted() as counted:
        counted.await_steps(3)
        counted.stop()
        taken = counted.steps
    assert counted.steps == taken


def test_a_step_that_fails_is_the_last_and_fails_the_block() -> None:
    with pytest.raises(ValueError, match="step 2"), Counted(fails_at=2) as counted:
        counted.await_steps(2)
    assert counted.steps == 2


def test_a_block_that_fails_shows_its_own_failure() -> None:
    counted = Counted(fails_at=1)

    def block() -> None:
        with counted:
            counted.await_steps(1)
            raise KeyError

    with pytest.raises(KeyError):
        block()
