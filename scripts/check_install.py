#!/usr/bin/python3
"""Checks an installed coffer: static, loaded at a random address, runs, and says nothing of its memory in a crash."""

import array
import fcntl
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import termios
import time


def fail(message):
    sys.exit(f"check_install: {message}")


def check_file(program):
    def readelf(option):
        return subprocess.run(["readelf", "-W", option, program], check=True, capture_output=True, text=True).stdout

    if "DYN (" not in readelf("-h"):
        fail("not position-independent: its text would stand at a known address")
    if "INTERP" in readelf("-l") or "(NEEDED)" in readelf("-d"):
        fail("not static")


def run(program, arguments, given):
    """Runs coffer with some bytes on descriptor 0."""
    done = subprocess.run([program, *arguments], input=given, capture_output=True, timeout=120)
    if done.returncode != 0:
        fail(f"{arguments[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def unread(descriptor):
    count = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, count)
    return count[0]


def state(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def crash(program, vault, number, folder):
    """Crashes it while it holds half a passphrase, with core files allowed by whoever started it."""
    canary = os.urandom(24).hex().encode()
    source, sink = os.pipe()
    process = subprocess.Popen(
        [program, "get", "name", "--vault", vault, "--passphrase-fd", "0"], stdin=source, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, cwd=folder,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2))
    os.write(sink, canary)
    for _ in range(1000):
        if unread(source) == 0 and state(process.pid) == "S":
            break
        if process.poll() is not None:
            fail(f"get ended early: {process.stderr.read().decode(errors='replace')}")
        time.sleep(0.01)
    else:
        fail("get never read its passphrase")
    process.send_signal(number)
    said = b"".join(process.communicate(timeout=60))
    os.close(source)
    os.close(sink)
    if process.returncode != -number:
        fail(f"{number.name} did not end it as it should: {process.returncode}")
    if any(canary[at:at + 8] in said for at in range(len(canary) - 7)) or b"0x" in said:
        fail(f"{number.name}: the crash printed memory")
    if any("core" in name for name in os.listdir(folder)):
        fail(f"{number.name}: the crash left a core file")


def main():
    program = os.path.abspath(sys.argv[1])
    check_file(program)
    version = run(program, ["--version"], b"").decode().strip()
    if not version.startswith("coffer"):
        fail(f"--version says {version!r}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")
        vault = os.path.join(folder, "check.coffer")
        run(program, ["init", "--vault", vault, "--cost", "3,65536", "--passphrase-fd", "0"],
            b"a passphrase for this check only\n")
        for number in (signal.SIGSEGV, signal.SIGABRT):
            crash(program, vault, number, folder)
    print(f"{program}: {version}, static, position-independent, silent in a crash")


if __name__ == "__main__":
    main()
