"""A planted fault: a small library that has a program keep, in ordinary memory, whatever it reads and writes."""

import shutil
import subprocess

SOURCE = r"""
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
static char kept[1 << 22];
static size_t length;
static ssize_t keep(const void *bytes, ssize_t count) {
    if (count > 0 && (size_t)count <= sizeof kept - length) {
        memcpy(kept + length, bytes, count);  /* passphrases are read byte by byte */
        length += count;
    }
    return count;
}
ssize_t read(int f, void *b, size_t n) { return keep(b, syscall(SYS_read, f, b, n)); }
ssize_t recv(int f, void *b, size_t n, int how) { return keep(b, syscall(SYS_recvfrom, f, b, n, how, 0, 0)); }
ssize_t write(int f, const void *b, size_t n) { return syscall(SYS_write, f, b, keep(b, n)); }
"""


def library(context):
    """Its path, or None where there is no C compiler."""
    compiler = next(filter(None, map(shutil.which, ("cc", "clang", "gcc"))), None)
    if compiler is None:
        return None
    source, made = context.scratch / "keep.c", context.scratch / "keep.so"
    if not made.exists():
        source.write_text(SOURCE)
        subprocess.run([compiler, "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1", "-o", made, source], check=True)
    return made


def careless(context, program, name):
    """A program like another one, but for that it keeps what it reads."""
    made = context.scratch / "careless" / name
    made.parent.mkdir(exist_ok=True)
    made.write_text(f"#!/bin/sh\nLD_PRELOAD={library(context)} exec {program} \"$@\"\n")
    made.chmod(0o755)
    return made
