"""What goes on beside a test: one step again and again, on a thread of its own."""

import threading
from abc import ABC, abstractmethod
from typing import TypeVar

Repeats = TypeVar("Repeats", bound="Repeated")


class Repeated(ABC):
    """Takes its step with a pause between two, while it is open. A step that fails is the last one; the failure is
    raised by ``check``, and at the end of the block unless that fails itself."""

    def __init__(self, name: str, pause: float) -> None:
        """``pause`` is in seconds."""
        self._pause = pause
        # Held for each step: who has it knows that none is under way.
        self._turn = threading.Lock()
        self._over = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def __enter__(self: Repeats) -> Repeats:
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._end()
        if error is None:
            self.check()

    def stop(self) -> None:
        """From the return on there are no more steps. May be called again."""
        self._end()
        self.check()

    def check(self) -> None:
        """Raises what a step failed with, if one did."""
        if self._failure is not None:
            raise self._failure

    @abstractmethod
    def _step(self) -> None:
        """What is done each time."""

    def _run(self) -> None:
        try:
            while not self._over.wait(self._pause):
                with self._turn:
                    self._step()
        except BaseException as failure:  # check() raises it
            self._failure = failure

    def _end(self) -> None:
        self._over.set()
        self._thread.join()
