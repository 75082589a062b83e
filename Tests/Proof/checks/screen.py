"""A terminal for a program, with the check in the place of the person."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

# What a shell with job control does, but that shells also restore the terminal's settings by themselves. It tells
# through one pipe how its job stopped or ended, and lets it go on when another one brings a byte. Only a job in a group
# of its own that is no orphan can be stopped.
JOBS = """
import os, signal, sys
telling, going = map(int, sys.argv[1:3])
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    for number in (signal.SIGTTOU, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    for descriptor in (telling, going):
        os.close(descriptor)
    os.execv(sys.argv[3], sys.argv[3:])
while True:
    status = os.waitpid(job, os.WUNTRACED)[1]
    os.tcsetpgrp(0, os.getpgrp())
    if not os.WIFSTOPPED(status):
        break
    os.write(telling, b"stopped\\n")
    os.read(going, 1)
    os.tcsetpgrp(0, job)
    os.kill(-job, signal.SIGCONT)
os.write(telling, b"ended %d\\n" % os.waitstatus_to_exitcode(status))
"""


class Missing(AssertionError):
    """What was waited for did not come."""


class Screen:
    """A pseudo terminal. Its settings are unusual, so that who sets them to something sane is found out."""

    PATIENCE = 20  # seconds for what has to happen

    def __init__(self, rows=24, columns=80, utf8=True):
        self.master, self.slave = pty.openpty()  # held open: the settings of a terminal that nobody has open are lost
        os.set_blocking(self.master, False)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        settings = termios.tcgetattr(self.slave)
        settings[0] = (settings[0] | termios.IXANY) & ~0x4000 | (0x4000 if utf8 else 0)  # IUTF8
        settings[3] &= ~termios.ECHOE
        settings[6][termios.VKILL] = b"\x18"
        termios.tcsetattr(self.slave, termios.TCSANOW, settings)
        self.before, self.shown, self.searched, self.children = self.settings(), b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for child in self.children:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        self.hang_up()

    def hang_up(self):
        """Takes the terminal away, as when its window is closed."""
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)
        self.master = self.slave = -1

    def start(self, command, environment, ignoring=(), **more):
        """Starts a program, for which this is the controlling terminal and, unless told otherwise, 0, 1 and 2."""
        def take():
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for number in ignoring:
                signal.signal(number, signal.SIG_IGN)

        for stream in ("stdin", "stdout", "stderr"):
            more.setdefault(stream, self.slave)
        command = [word if isinstance(word, bytes) else str(word) for word in command]
        child = subprocess.Popen(command, env=environment, start_new_session=True, preexec_fn=take, **more)
        self.children.append(child)
        return child

    def settings(self):
        return termios.tcgetattr(self.slave)

    def echoes(self):
        return bool(self.settings()[3] & termios.ECHO)

    def type(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        while data:
            select.select([], [self.master], [], 10)
            data = data[os.write(self.master, data[:256]):]

    def look(self, seconds=0.0):
        """Takes in what is shown by now, or is within a time."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        self.shown += os.read(self.master, 65_536)
        return True

    def drain(self):
        end = time.monotonic() + self.PATIENCE
        while self.look(0.03) and time.monotonic() < end:
            pass
        return self.shown

    def expect(self, text):
        """Waits until this is shown, after what was waited for before."""
        wanted, end = text.encode(), time.monotonic() + self.PATIENCE
        while (found := self.shown.find(wanted, self.searched)) < 0:
            if time.monotonic() > end:
                raise Missing(f"{text!r} was not shown but {self.shown[self.searched:][-300:]!r}")
            self.look(0.1)
        self.searched = found + len(wanted)

    def wait_until_hidden(self):
        end = time.monotonic() + self.PATIENCE
        while self.echoes():
            if time.monotonic() > end:
                raise Missing("the terminal went on showing what is typed")
            time.sleep(0.002)

    def wait(self, child):
        """The status of a child; meanwhile what it shows is taken in, or it would wait for us."""
        end = time.monotonic() + self.PATIENCE
        while child.poll() is None:
            if time.monotonic() > end:
                raise Missing(f"it did not end; shown: {self.shown[-300:]!r}")
            self.look(0.005)
        self.drain()
        return child.returncode

    def unread(self):
        """What was typed and nobody has read, unfinished lines included."""
        before = self.settings()
        raw = termios.tcgetattr(self.slave)
        raw[3] &= ~termios.ICANON
        termios.tcsetattr(self.slave, termios.TCSANOW, raw)
        found = b""
        while select.select([self.slave], [], [], 0.02)[0]:
            found += os.read(self.slave, 4_096)
        termios.tcsetattr(self.slave, termios.TCSANOW, before)
        return found

    def left_as_it_was(self):
        """What is not as before, or nothing."""
        if (now := self.settings()) != self.before:
            echo = "" if self.echoes() else ", and shows nothing that is typed"
            return f"the terminal's settings are {now[:4]}, not {self.before[:4]}{echo}"
        if left := self.unread():
            return f"{len(left)} bytes that were typed are left for the shell"
        return None


class Jobs:
    """A program under a shell that sees it stop, and lets it go on."""

    def __init__(self, screen, command, environment):
        self.screen = screen
        told, telling = os.pipe()
        going, go = os.pipe()
        self.shell = screen.start(
            [sys.executable, "-S", "-c", JOBS, str(telling), str(going), *command], environment,
            pass_fds=[telling, going])
        os.close(telling)
        os.close(going)
        self.told, self.go = open(told, "rb"), os.fdopen(go, "wb", buffering=0)

    def pid(self):
        """The number of the job."""
        with open(f"/proc/{self.shell.pid}/task/{self.shell.pid}/children") as file:
            return int(file.read().split()[0])

    def hear(self):
        """What the shell tells next."""
        end = time.monotonic() + self.screen.PATIENCE
        while not select.select([self.told], [], [], 0.005)[0]:
            if time.monotonic() > end:
                raise Missing("the job neither stopped nor ended")
            self.screen.look()
        return self.told.readline().decode().strip()

    def resume(self):
        self.go.write(b"\n")

    def close(self):
        self.told.close()
        self.go.close()
