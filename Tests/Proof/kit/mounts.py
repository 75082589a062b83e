"""File systems of a test's own, where mounting is permitted."""

import contextlib
import os
import pathlib
import subprocess


class Refused(Exception):
    """The system does not let us mount."""


def command(*words):
    try:
        done = subprocess.run([*map(str, words)], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise Refused(f"there is no {words[0]}") from error
    if done.returncode != 0:
        raise Refused(f"{words[0]}: {done.stderr.decode(errors='replace').strip()[:200]}")


@contextlib.contextmanager
def mounted(folder, *words):
    """A file system at a folder, which is made; `words` are mount's."""
    if os.geteuid() != 0:
        raise Refused("only root may mount")
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    command("mount", *words, folder)
    try:
        yield folder
    finally:
        done = subprocess.run(["umount", folder], capture_output=True, check=False)
        if done.returncode != 0:  # somebody still has a file open there, who should be gone
            subprocess.run(["umount", "-l", folder], capture_output=True, check=False)
            raise OSError(f"{folder} is still in use: {done.stderr.decode(errors='replace').strip()[:200]}")


def tmpfs(folder, options):
    """A small file system in memory."""
    return mounted(folder, "-t", "tmpfs", "-o", options, "tmpfs")


def make_image(path, mebibytes=8, journal=True):
    """An empty ext4 in a file, which is whole on its disk: what a power cut leaves of it is what was written to it."""
    with open(path, "wb") as file:
        file.truncate(mebibytes << 20)
    command("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0", *([] if journal else ["-O", "^has_journal"]), path)


def image(path, folder, options="loop"):
    return mounted(folder, "-t", "ext4", "-o", options, path)
