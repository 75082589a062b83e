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


def explain(d):
    """A line for each part: offset, width, name, value, verdict. What is sealed has offsets in the plaintext."""
    end, there = d.fields["header_len"], len(d.plaintext)
    rows = [(name, at, width, d.fields[name]) for name, (at, width) in FIELDS.items() if at + width <= d.size]
    rows += [(f"slot {i}", at, 4 + len(data), f"type {kind}") for i, (at, kind, data) in enumerate(d.slots)]
    rows += [("commitment", end, 32, d.file[end:end + 32]), ("box", end + 32, d.size - end - 64, "")]
    rows += [("check", d.size - 32, 32, d.file[-32:]), ("size", 0, d.size, d.size)]
    if there:
        s, m = d.settings_len, d.metadata_len
        rows += [("vault_id", 0, 16, d.vault_id), ("generation", 16, 8, d.generation), ("settings_len", 24, 4, s)]
        rows += [("metadata_len", 28, 4, m), ("settings", 32, s, ""), ("metadata", 32 + s, m, "")]
        rows += [("padding", 32 + s + m, there - 32 - s - m, "")]
    rows += [(part, "", "", "") for part in d.verdicts if part not in {row[0] for row in rows}]
    for name, at, width, value in rows:
        value = value.hex() if isinstance(value, bytes) else value
        print(f"{at:>8} {width:>8}  {name:<12}  {value:<64}  {d.verdicts.get(name, '-')}")
    refusals = [verdict for verdict in d.verdicts.values() if verdict != "ok"]
    print("answer:", *refusals or ["success" if there else "no failure up to step 6"])


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
