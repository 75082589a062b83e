"""Looks through the memory of another process for secrets, whole and in pieces.

It shares nothing with the scan of the Swift tests (Tests/TestSupport/MemoryScan.swift), so that one notices what the
other overlooks.
"""

import base64
import collections
import os
import re

PIECE, LEAST = 8, 16
Hit = collections.namedtuple("Hit", "secret form length mapping address")
Region = collections.namedtuple("Region", "start end mapping own")


class Forbidden(Exception):
    """The system does not let this process look."""


def needles(value):
    """Spellings of a value to look for: the form, the bytes, and where they begin in the value as it is spelled."""
    assert len(value) >= LEAST, "a shorter value is found by chance"
    for offset in range(0, len(value) - PIECE + 1, PIECE):
        yield "raw", value[offset:offset + PIECE], offset
    yield "utf16", b"\0".join(value[at:at + 1] for at in range(len(value))), 0
    yield "hex", value.hex().encode(), 0
    yield "HEX", value.hex().upper().encode(), 0
    for before in range(3):
        # Only the letters that hang on the value alone.
        text = base64.b64encode(bytes(before) + value)
        first, end = -(-before * 8 // 6), (before + len(value)) * 8 // 6
        yield "base64", text[first:end], 0


def regions(pid):
    """The mappings of a process, and whether they hold pages that do not merely show a file."""
    try:
        with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError as error:
        raise Forbidden(str(error)) from error
    found = []
    for block in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", text):
        lines = block.splitlines()
        if not lines:
            continue
        words = lines[0].split(maxsplit=5)
        start, end = (int(part, 16) for part in words[0].split("-"))
        name = words[5] if len(words) > 5 else ""
        sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:] if line.endswith(" kB")}
        flags = lines[-1].split()
        if name in ("[vvar]", "[vsyscall]", "[vdso]") or "io" in flags:
            continue
        if "dd" in flags and "wf" in flags:
            mapping = "guarded"
        else:
            mapping = {"[heap]": "heap", "[stack]": "stack"}.get(name, "file" if name[:1] == "/" else "anonymous")
        # Memory that is shared has the name of a file, though no file of a disk holds it.
        is_own = name[:1] != "/" or "sh" in flags
        own = sizes.get("Anonymous", 0) + sizes.get("Swap", 0) + (sizes.get("Rss", 0) if is_own else 0)
        found.append(Region(start, end, mapping, own > 0))
    if not found:
        raise Forbidden(f"process {pid} shows no mapping")
    return found


class Search:
    """Values to look for, by names that may be printed."""

    def __init__(self, secrets):
        self.secrets = {name: bytes(value) for name, value in secrets.items()}
        self.needles = [(name, *needle) for name, value in self.secrets.items() for needle in needles(value)]
        self.scans = self.bytes_read = 0
        self.known = {}  # what stood in a region the last time, and the hits in it: little changes between two calls

    def run(self, pid):
        """All hits in a process."""
        found = {}
        try:
            memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise Forbidden(str(error)) from error
        before, self.known = self.known, {}
        try:
            for region in regions(pid):
                if region.own:
                    data = read(memory, region)
                    self.bytes_read += len(data)
                    same = region in before and before[region][0] == data
                    hits = before[region][1] if same else self.look_at(data, region)
                    self.known[region] = (data, hits)
                    found |= hits
        finally:
            os.close(memory)
        self.scans += 1
        return sorted(found.values())

    def look_at(self, data, region):
        """The hits in one region, each copy once."""
        found = {}
        for name, form, needle, offset in self.needles:
            at = data.find(needle)
            while at >= 0:
                first, length = at - offset, len(needle)
                if form == "raw":
                    first, length = grow(data, at, self.secrets[name], offset)
                key = (name, region.start + first)
                if length >= LEAST and (key not in found or found[key].length < length):
                    found[key] = Hit(name, form, length, region.mapping, key[1])
                at = data.find(needle, at + 1)
        return found


def grow(data, at, value, offset):
    """Where the value would begin around a piece, and how much of it stands there in a row."""
    first = at - offset
    low = at
    while low > max(first, 0) and data[low - 1] == value[low - 1 - first]:
        low -= 1
    high = at + PIECE
    while high < min(first + len(value), len(data)) and data[high] == value[high - first]:
        high += 1
    return first, high - low


def read(memory, region):
    """The bytes of a region; a page that cannot be read is left out."""
    parts, place = [], region.start
    while place < region.end:
        try:
            part = os.pread(memory, min(region.end - place, 1 << 24), place)
        except OSError:
            part = b""
        # Zeros in its place, so that addresses stay true.
        parts.append(part or bytes(min(4096, region.end - place)))
        place += len(parts[-1])
    return b"".join(parts)


def misplaced(hits, allowed=()):
    """The hits that must not be: outside guarded memory, or of a secret that may stand nowhere."""
    return [hit for hit in hits if hit.mapping != "guarded" or hit.form != "raw" or hit.secret not in allowed]


def told(hits):
    """For a message: never a value."""
    return ", ".join(f"{hit.secret}: {hit.form}({hit.length}) in {hit.mapping}" for hit in hits[:6])
