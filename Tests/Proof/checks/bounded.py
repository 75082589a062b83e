"""Waits that end: what hangs is a failure of its check, and not the end of the proof."""

import os
import select
import signal
import subprocess
import time

PATIENCE = 20  # seconds for what has to happen


def read_all(descriptor, most=None):
    """What a pipe brings up to its end or up to so many bytes; less, if that takes too long."""
    found, end = b"", time.monotonic() + PATIENCE
    while most is None or len(found) < most:
        if not select.select([descriptor], [], [], max(0, end - time.monotonic()))[0]:
            break
        data = os.read(descriptor, 65_536 if most is None else most - len(found))
        if not data:
            break
        found += data
    return found


def ending(child):
    """The status of a child with a session of its own; None for one that hangs, which is killed."""
    try:
        return child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return None
