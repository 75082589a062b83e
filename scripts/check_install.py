#!/usr/bin/python3
"""Checks an installed coffer: static, loaded at a random address, runs, and says nothing of its memory in a crash."""

import array
import fcntl
import os
import pathlib
import resource
import shutil
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


def check_logind(program):
    """What is installed beside it needs systemd's library, and must not need the Swift toolchain."""
    if not os.path.exists(program):
        return "not installed"
    needed = subprocess.run(["readelf", "-W", "-d", program], check=True, capture_output=True, text=True).stdout
    if "libswift" in needed or "libsystemd" not in needed or "RUNPATH" in needed or "BIND_NOW" not in needed:
        fail(f"{program} needs a Swift toolchain, or binds lazily:\n{needed}")
    run(program, ["--version"], b"")
    return "runs without a Swift toolchain"


def check_units(prefix, programs):
    """The units must name programs that are there; DESTDIR is not known here, so the end of their paths must fit."""
    folder = os.path.join(prefix, "share/systemd/user")
    units = sorted(os.listdir(folder))
    wanted = ["coffer-agent.service", "coffer-agent.socket"]
    if units != wanted + ["coffer-logind.service"] * (len(programs) > 1):
        fail(f"{folder} has {units}")
    for unit in units:
        text = pathlib.Path(folder, unit).read_text()
        if "@" in text.replace("@system-service", ""):
            fail(f"{unit} has a gap: {text}")
        for line in text.splitlines():
            if line.startswith("ExecStart="):
                path = line.split('"')[1]
                if not any(program.endswith(path) for program in programs):
                    fail(f"{unit} starts {path}, and there are {programs}")


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


def allow_core():
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def start_waiting(program, vault, canary, **how):
    """Starts coffer and gives it half a passphrase. Returns the process and the end that keeps it waiting."""
    source, sink = os.pipe()
    process = subprocess.Popen(
        [program, "get", "name", "--vault", vault, "--passphrase-fd", "0"], stdin=source, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=allow_core, **how)
    os.write(sink, canary)
    for _ in range(1000):
        if unread(source) == 0 and state(process.pid) == "S":
            break
        if process.poll() is not None:
            fail(f"get ended early: {process.stderr.read().decode(errors='replace')}")
        time.sleep(0.01)
    else:
        fail("get never read its passphrase")
    os.close(source)
    return process, sink


def crash(program, vault, number, folder):
    """Crashes it while it holds half a passphrase, with core files allowed by whoever started it."""
    canary = os.urandom(24).hex().encode()
    process, sink = start_waiting(program, vault, canary, cwd=folder)
    process.send_signal(number)
    said = b"".join(process.communicate(timeout=60))
    os.close(sink)
    if process.returncode != -number:
        fail(f"{number.name} did not end it as it should: {process.returncode}")
    if any(canary[at:at + 8] in said for at in range(len(canary) - 7)) or b"0x" in said:
        fail(f"{number.name}: the crash printed memory")
    if any("core" in name for name in os.listdir(folder)):
        fail(f"{number.name}: the crash left a core file")


def keep_from_same_user(program, vault, folder):
    """Another program of the same user must not read its memory; as root, both run as nobody."""
    as_user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    if as_user:
        os.chmod(folder, 0o755)
        os.chown(vault, 65534, 65534)
        program = shutil.copy(program, folder)

    def opens(pid):
        return subprocess.run(["/bin/dd", f"if=/proc/{pid}/mem", "count=0"], capture_output=True, **as_user).returncode == 0

    with subprocess.Popen(["/bin/sleep", "60"], **as_user) as control:
        time.sleep(0.1)
        readable = opens(control.pid)
        control.kill()
    if not readable:
        return "could not be tried (no process here can read another)"
    process, sink = start_waiting(program, vault, b"half", cwd="/", **as_user)
    refused = not opens(process.pid)
    process.kill()
    process.communicate()
    os.close(sink)
    if not refused:
        fail("another process of the same user can read its memory")
    return "is closed to other programs of its user"


def main():
    program = os.path.abspath(sys.argv[1])
    check_file(program)
    logind = program + "-logind"
    found = check_logind(logind)
    check_units(os.path.dirname(os.path.dirname(program)), [program] + [logind] * os.path.exists(logind))
    version = run(program, ["--version"], b"").decode().strip()
    if not version.startswith("coffer"):
        fail(f"--version says {version!r}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")
        vault = os.path.join(folder, "check.coffer")
        run(program, ["init", "--vault", vault, "--cost", "3,64M", "--passphrase-fd", "0"],
            b"a passphrase for this check only\n")
        for number in (signal.SIGSEGV, signal.SIGABRT):
            crash(program, vault, number, folder)
        reading = keep_from_same_user(program, vault, folder)
    print(f"{program}: {version}, installed and checked: static, position-independent, prints no memory in a crash, "
          f"its memory {reading}; coffer-logind {found}")


if __name__ == "__main__":
    main()
