#!/usr/bin/python3
"""Runs coffer-logind on a bus of its own, with a login manager of dbusmock's, and an agent that records or a real one.

Usage: run.py COFFER-LOGIND COFFER
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import dbus
    import dbusmock  # noqa: F401  (what is run is its module)
except ImportError as error:
    print(f"SKIPPED coffer-logind: {error}; install python3-dbusmock")
    sys.exit(0)
if shutil.which("dbus-daemon") is None:
    print("SKIPPED coffer-logind: there is no dbus-daemon")
    sys.exit(0)

from recording_agent import RecordingAgent

NAME, ROOT = "org.freedesktop.login1", "/org/freedesktop/login1"
MANAGER, SESSION, MOCK = f"{NAME}.Manager", f"{NAME}.Session", "org.freedesktop.DBus.Mock"
SECONDS = 20
CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type><listen>unix:path={0}</listen><auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
  </policy>
</busconfig>
"""


def wait_until(condition, what):
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"not in {SECONDS} s: {what}"
        time.sleep(0.01)


class Surroundings:
    """A bus with a login manager, an agent, and the program that is tested."""

    def __init__(self, program, coffer, folder):
        self.program, self.coffer, self.folder = program, coffer, pathlib.Path(folder)
        self.socket = self.folder / "bus"
        self.address = f"unix:path={self.socket}"
        self.runtime = self.folder / "coffer"
        self.runtime.mkdir(mode=0o700)
        self.environment = {
            "PATH": os.environ["PATH"], "DBUS_SYSTEM_BUS_ADDRESS": self.address,
            "COFFER_RUNTIME_DIR": str(self.runtime), "HOME": folder,
            "COFFER_VAULT": os.path.join(folder, "a.coffer"), "SWIFT_BACKTRACE": "enable=no",
        }
        self.processes = []
        self.agent = RecordingAgent(self.runtime / "agent.sock")
        self.log = self.folder / "log"

    def start(self, *command, **how):
        process = subprocess.Popen(command, env=self.environment, **how)
        self.processes.append(process)
        return process

    def start_bus(self):
        file = self.folder / "bus.conf"
        file.write_text(CONFIGURATION.format(self.socket))
        self.socket.unlink(missing_ok=True)
        self.daemon = self.start("dbus-daemon", f"--config-file={file}", "--nofork", "--nopidfile",
                                 stderr=subprocess.DEVNULL)
        wait_until(self.socket.exists, "the bus listens")

    def start_manager(self):
        self.manager = self.start(sys.executable, "-m", "dbusmock", "--system", "--template", "logind",
                                  stdout=subprocess.DEVNULL)
        self.bus = dbus.bus.BusConnection(self.address)
        self.bus.set_exit_on_disconnect(False)
        wait_until(lambda: self.bus.name_has_owner(NAME), "the login manager is there")
        mock = self.object(ROOT, MOCK)
        mock.AddSession("c1", "seat0", dbus.UInt32(os.getuid()), "me", True)
        mock.AddSession("c2", "seat0", dbus.UInt32(os.getuid() + 1), "another", True)

    def start_watch(self):
        with self.log.open("ab") as log:
            self.watch = self.start(self.program, stderr=log)

    def object(self, path, interface):
        return dbus.Interface(self.bus.get_object(NAME, path), interface)

    def session(self, name):
        return self.object(f"{ROOT}/session/{name}", SESSION)

    def inhibitors(self):
        return [tuple(map(str, found[:4])) for found in self.object(ROOT, MANAGER).ListInhibitors()]

    def prepare_for_sleep(self, is_ahead):
        self.object(ROOT, MOCK).EmitSignal(MANAGER, "PrepareForSleep", "b", [dbus.Boolean(is_ahead)])

    def end(self, process):
        process.kill()
        process.wait()

    def close(self):
        for process in reversed(self.processes):
            self.end(process)
        self.agent.close()

    def said(self):
        return self.log.read_text()

    def is_waiting(self):
        return len(self.inhibitors()) == 1

    def expect_lock(self, what):
        """One lock more, of everything."""
        wait_until(lambda: len(self.agent.locks) > self.seen, what)
        assert self.agent.locks[self.seen:] == [None], f"{what}: {self.agent.locks[self.seen:]}"
        self.seen += 1

    def expect_none(self, what):
        """No lock: whatever was before it on the bus was done when the program answers this lock."""
        self.session("c1").Lock()
        self.expect_lock(f"{what}, and then a lock of the session")

    seen = 0


def takes_an_inhibitor(all):
    wait_until(all.is_waiting, "an inhibitor")
    [(what, who, why, mode)] = all.inhibitors()
    assert (what, who, mode) == ("sleep", "coffer", "delay") and why, (what, who, why, mode)


def locks_before_sleep(all):
    """The inhibitor goes only once the agent has answered."""
    all.agent.answers.clear()
    all.prepare_for_sleep(True)
    all.expect_lock("a lock before sleep")
    time.sleep(0.3)
    assert all.is_waiting(), "the inhibitor went before the agent had answered"
    all.agent.answers.set()
    wait_until(lambda: not all.inhibitors(), "the inhibitor goes")
    all.prepare_for_sleep(False)
    wait_until(all.is_waiting, "an inhibitor after sleep")
    all.expect_none("waking up locks nothing")


def sleeps_again(all):
    for _ in range(3):
        all.prepare_for_sleep(True)
        all.expect_lock("a lock before each sleep")
        wait_until(lambda: not all.inhibitors(), "the inhibitor goes")
        all.prepare_for_sleep(False)
        wait_until(all.is_waiting, "an inhibitor after each sleep")


def locks_with_the_session(all):
    all.session("c1").Lock()
    all.expect_lock("a lock of the session")
    all.session("c1").SetLockedHint(True)
    all.expect_lock("a session that is locked")
    all.session("c1").SetLockedHint(False)
    all.session("c1").Unlock()
    all.expect_none("a session that is unlocked")


def leaves_others_alone(all):
    all.session("c2").Lock()
    all.session("c2").SetLockedHint(True)
    all.object(f"{ROOT}/session/c1", MOCK).EmitSignal(
        "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as", [SESSION, {"IdleHint": True}, ["Active"]])
    all.expect_none("the session of another user, and another property")
    all.object(f"{ROOT}/session/c1", MOCK).EmitSignal(
        "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
        [SESSION, {"IdleHint": True}, ["LockedHint"]])
    all.expect_lock("a hint whose value is not said")


def believes_the_manager_alone(all):
    """Signals that somebody else sends to the program, and malformed ones."""
    names = [name for name in map(str, all.bus.list_names()) if name.startswith(":")]
    watch = next(name for name in names if pid_of(all, name) == all.watch.pid)
    for path, interface, member, values in (
        (ROOT, MANAGER, "PrepareForSleep", [dbus.Boolean(True)]),
        (f"{ROOT}/session/c1", SESSION, "Lock", []),
        ("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", [NAME, "", all.bus.get_unique_name()]),
    ):
        message = dbus.lowlevel.SignalMessage(path, interface, member)
        message.set_destination(watch)
        message.append(*values)
        all.bus.send_message(message)
    all.bus.flush()
    all.object(ROOT, MOCK).EmitSignal(MANAGER, "PrepareForSleep", "s", ["true"])
    all.object(ROOT, MOCK).EmitSignal(MANAGER, "PrepareForSleep", "", [])
    for values in (("s", [SESSION]), ("", []), ("sa{sv}as", [SESSION, {"LockedHint": "yes"}, dbus.Array([], "s")])):
        all.object(f"{ROOT}/session/c1", MOCK).EmitSignal(
            "org.freedesktop.DBus.Properties", "PropertiesChanged", *values)
    all.expect_none("signals of somebody else")
    assert all.is_waiting(), "the inhibitor went"


def pid_of(all, name):
    return int(all.bus.call_blocking(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s",
        [name]))


def outlives_the_agent(all):
    """Without an agent nothing is locked, and the machine sleeps; a dead one is told of."""
    all.agent.close()
    all.prepare_for_sleep(True)
    wait_until(lambda: not all.inhibitors(), "the inhibitor goes without an agent")
    assert not all.said(), all.said()
    all.prepare_for_sleep(False)
    wait_until(all.is_waiting, "an inhibitor after that")
    all.agent = RecordingAgent(all.runtime / "agent.sock")
    all.seen = 0
    all.agent.answers.clear()
    all.prepare_for_sleep(True)
    wait_until(lambda: not all.inhibitors(), "the inhibitor goes when the agent does not answer")
    wait_until(lambda: "no answer in time" in all.said(), "it says so")
    attempts = len(all.agent.locks)
    assert attempts > 1, "an agent that did not answer was not asked again"
    # It is owed from then on.
    all.agent.answers.set()
    wait_until(lambda: len(all.agent.locks) > attempts, "the lock is made up for")
    time.sleep(0.5)
    all.seen = len(all.agent.locks)
    all.prepare_for_sleep(False)
    wait_until(all.is_waiting, "an inhibitor after that")
    all.expect_none("a lock that was made up for is made once")


def tries_what_is_not_nobody(all):
    """That the socket cannot be reached is not that there is no agent."""
    (all.runtime / "agent.sock").rename(all.runtime / "kept")
    (all.runtime / "agent.sock").symlink_to("agent.sock")
    before = all.said().count("could not lock")
    all.prepare_for_sleep(True)
    time.sleep(1)
    assert all.is_waiting(), "the inhibitor went although there is time to try again"
    (all.runtime / "kept").rename(all.runtime / "agent.sock")
    all.expect_lock("a lock once the agent can be reached")
    wait_until(lambda: not all.inhibitors(), "the inhibitor goes")
    assert all.said().count("could not lock") == before, all.said()
    all.prepare_for_sleep(False)
    wait_until(all.is_waiting, "an inhibitor after that")


def finds_the_next_manager(all):
    all.end(all.manager)
    all.start_manager()
    wait_until(all.is_waiting, "an inhibitor of the next login manager")
    all.prepare_for_sleep(True)
    all.expect_lock("a lock by the next login manager")
    wait_until(lambda: not all.inhibitors(), "the inhibitor goes")
    all.prepare_for_sleep(False)
    wait_until(all.is_waiting, "an inhibitor after that")


def finds_the_bus_again(all):
    all.end(all.daemon)
    all.end(all.manager)
    all.expect_lock("a lock when the bus goes")
    assert all.watch.poll() is None, "it ended with the bus"
    all.start_bus()
    all.start_manager()
    wait_until(all.is_waiting, "an inhibitor on the next bus")
    wait_until(lambda: "is back" in all.said(), "it says so")
    all.session("c1").Lock()
    all.expect_lock("a lock on the next bus")


def holds_nothing(all):
    """One thread, and a second one cannot be told from a sleeping one."""
    status = pathlib.Path(f"/proc/{all.watch.pid}/status").read_text()
    assert re.search(r"^Threads:\t1$", status, re.M), status


def ends_with_a_signal(all):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        all.watch.send_signal(number)
        assert all.watch.wait(SECONDS) == 0, (number, all.watch.returncode)
        wait_until(lambda: not all.inhibitors(), "the inhibitor goes with the program")
        all.start_watch()
        wait_until(all.is_waiting, "an inhibitor of the next program")
    # Also while it looks for the bus.
    all.end(all.daemon)
    all.expect_lock("a lock when the bus goes")
    time.sleep(0.2)
    all.watch.terminate()
    assert all.watch.wait(SECONDS) == 0, all.watch.returncode


def says_that_there_is_no_bus(all):
    all.socket.unlink(missing_ok=True)
    done = subprocess.run([all.program], env=all.environment, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 1 and "cannot connect to the system bus" in done.stderr, done
    all.start_bus()
    done = subprocess.run([all.program], env=all.environment, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 1 and "login1" in done.stderr and done.stderr.count("\n") == 1, done


def says_how_it_is_called(all):
    for arguments, status in ((["--help"], 0), (["--version"], 0), (["--what"], 2), (["--help", "me"], 2)):
        done = subprocess.run([all.program, *arguments], env=all.environment, capture_output=True, text=True,
                              timeout=SECONDS)
        assert done.returncode == status, done
        assert "coffer-logind" in (done.stderr if status else done.stdout), done
    for word in ("--help", "--version"):
        with open("/dev/full", "w") as full:
            done = subprocess.run([all.program, word], env=all.environment, stdout=full, timeout=SECONDS)
        assert done.returncode == 1, "it ends as if it had written what it could not"


def locks_a_real_agent(all):
    """What the agent holds is locked before the inhibitor goes, and when the session is locked."""
    passphrase = all.folder / "passphrase"
    passphrase.write_text("seven clouds over a quiet harbour\n")

    def coffer(*words):
        return subprocess.run([all.coffer, *words, "--quiet"], env=all.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, start_new_session=True, timeout=60)

    def unlock():
        done = coffer("unlock", "--passphrase-file", str(passphrase))
        assert done.returncode == 0, done
        assert coffer("status").returncode == 0

    all.agent.close()
    done = coffer("init", "--cost", "3,64M", "--passphrase-file", str(passphrase))
    assert done.returncode == 0, done
    unlock()
    try:
        all.prepare_for_sleep(True)
        wait_until(lambda: not all.inhibitors(), "the inhibitor goes")
        assert coffer("status").returncode == 14, "unlocked when the machine could sleep"
        assert coffer("get", "none").returncode == 14
        all.prepare_for_sleep(False)
        wait_until(all.is_waiting, "an inhibitor after that")
        unlock()
        all.session("c1").Lock()
        wait_until(lambda: coffer("status").returncode == 14, "a lock with the session")
    finally:
        stopped = coffer("agent", "stop")
    assert stopped.returncode == 0, stopped
    all.agent = RecordingAgent(all.runtime / "agent.sock")
    all.seen = 0


CASES = [
    takes_an_inhibitor, locks_before_sleep, sleeps_again, locks_with_the_session, leaves_others_alone,
    believes_the_manager_alone, outlives_the_agent, tries_what_is_not_nobody, finds_the_next_manager, finds_the_bus_again, holds_nothing,
    locks_a_real_agent, ends_with_a_signal, says_that_there_is_no_bus, says_how_it_is_called,
]


def main(program, coffer):
    with tempfile.TemporaryDirectory() as folder:
        all = Surroundings(program, coffer, folder)
        try:
            all.start_bus()
            all.start_manager()
            all.start_watch()
            for case in CASES:
                try:
                    case(all)
                except Exception:
                    print(f"FAILED coffer-logind {case.__name__}; it said:\n{all.said()}")
                    raise
        finally:
            all.close()
    print(f"coffer-logind: {len(CASES)} cases passed")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*map(os.path.abspath, sys.argv[1:]))
