"""A program that stands still at its system calls, so that its memory can be looked at there (ptrace by ctypes)."""

import ctypes
import errno
import os
import platform
import resource
import signal
import time

TRACEME, DETACH, SYSCALL, SETOPTIONS = 0, 17, 24, 0x4200
SYSGOOD, EXITKILL = 1, 0x100000
NUMBERS = {
    "x86_64": {
        "read": 0, "write": 1, "mmap": 9, "munmap": 11, "brk": 12, "rt_sigaction": 13, "prctl": 157, "exit_group": 231,
        "prlimit64": 302},
    "aarch64": {
        "read": 63, "write": 64, "exit_group": 94, "rt_sigaction": 134, "prctl": 167, "brk": 214, "munmap": 215,
        "mmap": 222, "prlimit64": 261},
}
CALLS = NUMBERS.get(platform.machine(), {})
C = ctypes.CDLL(None, use_errno=True)
C.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
C.ptrace.restype = ctypes.c_long


NOT_HERE = (errno.EPERM, errno.EACCES, errno.ENOSYS)  # how a system says so
UNTRACED = 125  # how a child of ours says so


class Forbidden(Exception):
    """The system lets nothing be traced here; everything else that goes wrong is no reason to skip what is tried."""


def ptrace(request, pid, data=0):
    ctypes.set_errno(0)
    if C.ptrace(request, pid, None, data) < 0:
        number = ctypes.get_errno()
        if number in NOT_HERE:
            raise Forbidden(f"ptrace: {os.strerror(number)}")
        raise OSError(number, f"ptrace, request {request}: {os.strerror(number)}")


class Stepped:
    """A child with one thread that is traced.

    `files` says which descriptor of ours becomes which of its own; `limit` is a limit of the system and its value;
    `folder` is the current one.
    """

    def __init__(self, words, environment, files, limit=None, folder="/"):
        self.code = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                kept = {theirs: os.dup(ours) for theirs, ours in files.items()}
                for theirs, ours in kept.items():
                    os.dup2(ours, theirs)
                os.closerange(max(files) + 1, 256)
                os.chdir(folder)
                if limit:
                    resource.setrlimit(limit[0], (limit[1], limit[1]))
                ptrace(TRACEME, 0)
                os.execve(words[0], words, environment)
            except Forbidden:
                os._exit(UNTRACED)
            finally:
                os._exit(126)
        if not self.wait():
            if self.code == UNTRACED:
                raise Forbidden(f"{words[0]} may not be traced")
            raise OSError(f"{words[0]} was not traced to its start: {self.code}")
        ptrace(SETOPTIONS, self.pid, SYSGOOD | EXITKILL)

    def wait(self):
        """Whether it stands still; if not, it has ended."""
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSTOPPED(status):
            self.stop = os.WSTOPSIG(status)
            return True
        self.code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return False

    def calls(self):
        """Yields the words of /proc/PID/syscall (number, arguments) at the entry of each system call."""
        entering, pending = True, 0
        while True:
            ptrace(SYSCALL, self.pid, pending)
            pending = 0
            if not self.wait():
                return
            if self.stop != signal.SIGTRAP | 0x80:
                # A signal of its own; the one of execve is ours.
                pending = 0 if self.stop == signal.SIGTRAP else self.stop
                continue
            if entering:
                with open(f"/proc/{self.pid}/syscall", encoding="ascii") as file:
                    yield [int(word, 0) for word in file.read().split()[:4]]
            entering = not entering

    def crash(self, number, seconds=60):
        """Sends a signal where it stands still, and lets it go to its end."""
        os.kill(self.pid, number)
        ptrace(DETACH, self.pid)
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            found, status = os.waitpid(self.pid, os.WNOHANG)
            if found:
                self.code = os.waitstatus_to_exitcode(status)
                return
            time.sleep(0.001)

    def end(self):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            while self.wait():
                pass
