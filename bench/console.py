"""Lines that show the progress of a run."""

import time

_BEGAN = time.monotonic()


def say(text: str) -> None:
    """Prints a line with the seconds since the run began."""
    print(f"[{time.monotonic() - _BEGAN:6.0f} s] {text}", flush=True)
