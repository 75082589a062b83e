"""Which kinds of system calls get which faults, and which calls of a trace are the program's own."""

FILES = {
    "openat", "open", "read", "pread64", "write", "pwrite64", "writev", "readlink", "readlinkat", "newfstatat", "fstat",
    "statx", "fsync", "fdatasync", "syncfs", "fchmod", "fchmodat", "fchown", "rename", "renameat", "renameat2",
    "unlinkat", "unlink", "getdents64", "flock", "close", "mkdirat", "mkdir", "fcntl", "ftruncate", "access", "lseek",
}
MEMORY = {"mmap", "mprotect", "madvise", "mlock", "munlock", "munmap", "brk"}
# The error of each that the system itself gives.
OTHERS = {
    "getrandom": "EAGAIN", "recvfrom": "ECONNRESET", "sendto": "ENOBUFS", "poll": "ENOMEM", "ioctl": "EIO",
    "clone3": "EAGAIN", "socket": "EMFILE", "connect": "ECONNREFUSED", "accept4": "EMFILE", "getsockopt": "ENOBUFS",
    "eventfd2": "EMFILE", "timerfd_settime": "EINVAL", "shutdown": "ENOTCONN", "sysinfo": "EFAULT",
}
# What a signal interrupts that comes between, besides calls on files; it has to be made again.
INTERRUPTED = {"recvfrom", "sendto", "poll", "connect", "getrandom"}
# They cannot fail, or only where the program itself is wrong.
NEVER_FAIL = {
    "geteuid", "getuid", "gettid", "getpid", "futex", "exit", "exit_group", "rseq", "set_robust_list", "rt_sigprocmask",
    "rt_sigaction", "prctl", "restart_syscall", "prlimit64", "clock_nanosleep", "sched_yield", "execve", "umask",
}


def own(calls, place):
    """The calls of the program itself, from the first that names something of its home on; and whether one does.

    A program that has forbidden others to look into it shows root alone on what its calls are made.
    """
    def names_home(call):
        return call.name != "execve" and str(place.home) in call.text.replace(f"AT_FDCWD<{place.home}>", "")
    named = [number for number, call in enumerate(calls) if names_home(call)]
    forbidding = [number for number, call in enumerate(calls) if call.name == "prctl"]
    return calls[(named or forbidding or [0])[0]:], bool(named)


def unknown(calls):
    """The names of calls that no row would try."""
    return sorted({call.name for call in calls} - FILES - MEMORY - OTHERS.keys() - NEVER_FAIL)
