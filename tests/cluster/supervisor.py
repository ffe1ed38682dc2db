"""Runs one broker and takes it down with the process that asked for it, however that one ends.

``supervisor.py LOG COMMAND...`` prints the broker's process id and then obeys its standard input: each line is a signal
for the broker. When the input ends, because the asking process closed it or was itself killed, the broker is killed.
Imports nothing of this package: it is started by path, once per broker, and should be up at once.
"""

import ctypes
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """On Linux, has the kernel kill this process when the supervisor is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def leave_with(broker: "subprocess.Popen[bytes]") -> None:
    broker.wait()
    # Not sys.exit: the main thread sits in a read that nothing else would end.
    os._exit(0)


def main() -> None:
    log, *command = sys.argv[1:]
    with Path(log).open("ab") as sink:
        broker = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=die_with_parent,  # safe: no other thread runs yet
        )
    threading.Thread(target=leave_with, args=(broker,), daemon=True).start()
    print(broker.pid, flush=True)
    for line in sys.stdin:
        broker.send_signal(signal.Signals[line.strip()])
    broker.kill()
    broker.wait()


if __name__ == "__main__":
    main()
