#!/usr/bin/python3
"""Opens a Coffer vault of format version 1 without any code of Coffer, and prints its settings as JSON.

Needs PyNaCl and argon2-cffi (Debian: python3-nacl, python3-argon2). It keeps secrets in ordinary memory.
"""

import argparse
import base64
import contextlib
import datetime
import getpass
import json
import math
import os
import sys
import unicodedata

from property_list import Date
from vault_file import FIELDS, Decoder, Refused, parse_code, read_file

EXIT_CODES = {  # "Failure classes and exit codes"
    "notAVault": 3, "unsupportedVersion": 4, "unsupportedFeature": 4, "damaged": 5, "limitExceeded": 6,
    "notEnoughMemory": 7, "wrongPassphrase": 8, "tampered": 9, "invalidContents": 10, "rolledBack": 11, "forked": 11,
    "replaced": 11, "rekeyed": 11, "noMatchingSlot": 12, "ioError": 15, "refused": 17, "noVault": 19,
}


def as_json(value):
    """The notation of `coffer get --json`, which `coffer set --type json` takes back."""
    if isinstance(value, dict):
        mark = "$" if len(value) == 1 and min(value).startswith("$") else ""
        return {mark + key: as_json(element) for key, element in value.items()}
    if isinstance(value, list):
        return [as_json(element) for element in value]
    if isinstance(value, bytes):
        return {"$data": base64.b64encode(value).decode()}
    if isinstance(value, Date) and value.is_integer() and 0 < abs(value) < 2e10:  # a date in text has no -0
        return {"$date": (datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=value)).isoformat() + "Z"}
    if isinstance(value, Date):
        return {"$date": float(value)}
    return {"$real": str(value)} if isinstance(value, float) and not math.isfinite(value) else value


def rows_of(parts, data, end):
    """Offset, width, name and value of parts that lie one directly after another, as far as they are all there."""
    at = 0
    for name, width, value in parts:
        if at + width > end:
            break
        yield at, width, name, data[at:at + width].hex() if value is None else value
        at += width
    if at < end:
        yield at, end - at, "unread", "(not looked at)"


def outside(d):
    """The parts of the file: name, width and value, if that is not its bytes."""
    for name, (_, width) in FIELDS.items():
        if name != "version" and name != "magic" and d.fields["version"] != 1:
            return
        yield name, width, None if isinstance(d.fields[name], bytes) else d.fields[name]
    for i, (at, kind, data) in enumerate(d.slots):
        if at + 4 > d.fields["header_len"]:
            return
        yield f"slot {i} type", 2, kind
        yield f"slot {i} length", 2, int.from_bytes(d.file[at + 2:at + 4], "little")
        if d.verdicts[f"slot {i}"] != "ok":
            return
        fields = (("owner_pk", 32), ("eph_pk", 32), ("box", 48)) if kind == 1 else (("data", len(data)),)
        yield from ((f"slot {i} {name}", width, None) for name, width in fields if width)
    if d.verdicts.get("header_len") == "ok":
        mac = d.file[d.fields["header_len"] + 32:][:16].hex()
        yield from (("commitment", 32, None), ("box", d.fields["box_len"], mac))


def inside(d):
    """The parts of the plaintext. Settings and metadata are not shown."""
    yield from (("vault_id", 16, None), ("generation", 8, d.generation), ("settings_len", 4, d.settings_len))
    yield from (("metadata_len", 4, d.metadata_len), ("settings", d.settings_len, ""))
    padding = len(d.plaintext) - 32 - d.settings_len - d.metadata_len
    yield from (("metadata", d.metadata_len, ""), ("padding", padding, ""))


def explain(d):
    """A line for each part: offset, width, field, value, verdict. What is no vault, perhaps a secret, is not shown."""
    verdicts, shown = dict(d.verdicts), set()
    opened = "ok" if verdicts.get("box") == "ok" else "-"  # the key of the box is made of all that is before it
    for i in range(len(d.slots)):
        verdicts[f"slot {i} length"] = verdicts.pop(f"slot {i}")
    if verdicts.get("padding") == "ok":
        verdicts |= {"settings_len": "ok", "metadata_len": "ok"}

    def line(at, width, name, value, default="-"):
        verdict = verdicts.get(name, default)
        verdict = verdict.verdict() if isinstance(verdict, Refused) else verdict
        print(f"{at:>8} {width:>8}  {name:<16}  {value:<64}  {verdict}")
        shown.add(name)

    line("offset", "width", "field", "value", "verdict")
    if verdicts["magic"] != "ok":
        line(0, min(8, d.size), "magic", "(not shown)")
    else:
        whole = len(d.file) == d.size and (d.size >= 104 or verdicts.get("check") == "ok")
        end = d.size - 32 if whole else d.size
        for row in rows_of(outside(d), d.file, end):
            line(*row, "-" if row[2] == "unread" else opened)
        if whole:
            line(end, 32, "check", d.file[end:].hex())
    if d.plaintext:
        print("inside the box, offsets in what it holds:")
        for row in rows_of(inside(d), d.plaintext, len(d.plaintext)):
            line(*row, "ok" if row[2] == "vault_id" else "-")
    if verdicts["magic"] == "ok":
        print("of the whole:")
        asked = d.fields["header_len"] + 64 + d.fields["box_len"]
        unlike = d.fields["version"] == 1 and len(d.file) >= 72 and asked != d.size
        line("", "", "size", d.size, f"- (the lengths ask for {asked})" if unlike else "-")
    for part in [part for part in verdicts if part not in shown]:
        line("", "", part, "")
    if d.plaintext and "freshness" not in shown:
        line("", "", "freshness", "", "not judged: this tool keeps no state")
    print("A - was not judged: it comes after the first fault, or only opening the file can tell.")
    refusals = [verdict.verdict() for verdict in d.verdicts.values() if verdict != "ok"]
    print("answer:", *refusals or ["success" if d.plaintext else "no failure up to step 6"])


def read_secret(path):
    with open(path, "rb") as file:
        return file.read(65_536)  # more than any passphrase or code has


def ask():
    try:
        return getpass.getpass().encode(errors="surrogateescape")
    except OSError as error:
        raise Refused("refused", f"no place to ask for the passphrase: {error}") from None


def as_passphrase(data):
    """ "Passphrases": what was read is brought to the bytes that count."""
    if data.endswith(b"\n"):
        data = data[:-1].removesuffix(b"\r")
    try:
        return unicodedata.normalize("NFC", data.decode()).encode()
    except UnicodeDecodeError:
        return data


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--passphrase-file", metavar="F", help="else it is asked for")
    parser.add_argument("--code-file", metavar="F", help="open with the recovery code in this file")
    parser.add_argument("--allow-large-memory", action="store_true", help="derive a key at any cost of the format")
    parser.add_argument("--explain", action="store_true", help="print the parts of the file, with a verdict on each up "
                        "to the first fault; those of the contents only with a passphrase or code in a file")

    def usage(why):
        with contextlib.suppress(OSError):
            print(f"{parser.format_usage()}coffer_audit: {why}", file=sys.stderr)
        sys.exit(2)

    parser.error = usage
    a = parser.parse_args()
    code = parse_code(read_secret(a.code_file)) if a.code_file else None  # refused before the file is read
    passphrase = as_passphrase(read_secret(a.passphrase_file)) if a.passphrase_file else None
    d = Decoder(*read_file(a.file))
    try:
        d.read_header()
        if not (a.code_file or a.passphrase_file or a.explain):
            passphrase = as_passphrase(ask())
        if code or passphrase is not None:
            d.open(passphrase, code, allow_large_memory=a.allow_large_memory)
    except Refused:
        with contextlib.suppress(OSError):  # the refusal is the answer, also where its lines cannot be written
            if a.explain:
                explain(d)
                sys.stdout.flush()
        raise
    if a.explain:
        explain(d)
    else:
        print(json.dumps(as_json(d.settings), indent=2))


def open_what_is_closed():
    """Puts something in the place of a closed stdin, stdout or stderr: Python would print to another of them.

    A closed stdout stays one that cannot be written, so that an answer that nobody gets is no success.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)  # the least that is free
            setattr(sys, name, open(descriptor, "r" if name == "stdin" else "w"))


def run():
    """The exit code."""
    try:
        open_what_is_closed()
        try:
            main()
            code = 0
        except SystemExit as end:  # of the parser, which has said why
            code = end.code
        sys.stdout.flush()
        return code
    except (Refused, OSError, MemoryError, EOFError, KeyboardInterrupt, UnicodeDecodeError) as error:
        failures = {OSError: "ioError", MemoryError: "notEnoughMemory"}
        failure = next((failures[kind] for kind in failures if isinstance(error, kind)), "refused")
        refusal = error if isinstance(error, Refused) else Refused(failure, str(error))
        with contextlib.suppress(OSError):
            print(f"coffer_audit: {refusal}", file=sys.stderr)
        return EXIT_CODES[refusal.args[0]]


if __name__ == "__main__":
    os._exit(run())  # no second try to write what could not be written
