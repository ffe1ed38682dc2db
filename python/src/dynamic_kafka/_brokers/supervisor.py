"""Runs one command and takes it down with the process that asked for it, however that one ends.

``supervisor.py LOG COMMAND...`` prints the command's process id and then obeys its standard input: each line is a
signal for the command. When the input ends, because the asking process closed it or was itself killed, the command is
killed with its children. Ends with the exit code of the command. Imports nothing of this package: it is started by
path, and should be up at once.
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


def leave_with(process: "subprocess.Popen[bytes]") -> None:
    code = process.wait()
    # Not sys.exit: the main thread sits in a read that nothing else would end.
    os._exit(code if code >= 0 else 128 - code)


def main() -> None:
    log, *command = sys.argv[1:]
    with Path(log).open("ab") as sink:
        process = subprocess.Popen(  # noqa: S603 - the command is the caller's
            command,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=die_with_parent,  # safe: no other thread runs yet
        )
    # Before the thread, which ends this process as soon as the command has ended.
    print(process.pid, flush=True)
    threading.Thread(target=leave_with, args=(process,), daemon=True).start()
    for line in sys.stdin:
        process.send_signal(signal.Signals[line.strip()])
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


if __name__ == "__main__":
    main()
