#!/usr/bin/python3
"""Reads a Coffer vault, format version 1, without any code of Coffer.

Needs PyNaCl and argon2-cffi (Debian: python3-nacl, python3-argon2). It is a tool for audits and tests: it keeps
secrets in ordinary memory, and prints them.
"""

import argparse
import getpass
import json
import math
import sys
import unicodedata

from property_list import Date, Refused
from vault_file import AS_BYTES, FIELDS, history, open_vault, parse, parse_code, read_file, with_check

EXIT_CODES = {
    "notAVault": 3, "unsupportedVersion": 4, "unsupportedFeature": 4, "damaged": 5, "limitExceeded": 6,
    "notEnoughMemory": 7, "wrongPassphrase": 8, "tampered": 9, "invalidContents": 10, "noMatchingSlot": 12,
    "ioError": 15, "refused": 17, "noVault": 19,
}


def as_json(value):
    if isinstance(value, dict):
        return {k: as_json(v) for k, v in value.items()}
    if isinstance(value, list):
        return [as_json(v) for v in value]
    if isinstance(value, bytes):
        return {"$data": value.hex()}
    if isinstance(value, Date):
        return {"$date": float(value)}
    return {"$real": str(value)} if isinstance(value, float) and not math.isfinite(value) else value


def explain(file):
    h, slots = parse(file)
    end = h["header_len"]
    rows = [(n, at, size, h[n].hex() if n in AS_BYTES else h[n]) for n, at, size in FIELDS]
    at = 72
    for kind, data in slots:
        rows.append((f"slot, type {kind}", at, 4 + len(data), data[:32].hex() + "..."))
        at += 4 + len(data)
    rows.append(("commitment", end, 32, file[end:end + 32].hex()))
    rows.append(("box", end + 32, h["box_len"], f"tag {file[end + 32:end + 48].hex()}"))
    rows.append(("check", len(file) - 32, 32, file[-32:].hex()))
    for name, at, size, value in rows:
        print(f"{at:>8} {size:>8}  {name:<12} {value}")


def read_whole(path):
    with open(path, "rb") as file:
        return file.read()


def read_text(source):
    """A passphrase or code as bytes: one line ending removed, text in NFC, anything else as it is."""
    for ending in (b"\r\n", b"\n"):
        if source.endswith(ending):
            source = source[:-len(ending)]
            break
    try:
        return unicodedata.normalize("NFC", source.decode()).encode()
    except UnicodeDecodeError:
        return source


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--passphrase-file", metavar="F", help="else it is asked for")
    parser.add_argument("--code-file", metavar="F", help="open with the recovery code in this file")
    parser.add_argument("--explain", action="store_true", help="print the header's fields; no passphrase needed")
    parser.add_argument("--history", action="store_true", help="print ages, tombstones and last values instead")
    parser.add_argument("--keys", action="store_true", help="print the derived keys and nothing else (for tests)")
    parser.add_argument("--flip", metavar="BIT", type=int, help="write a copy with one bit changed (byte * 8 + bit)")
    parser.add_argument("--recheck", action="store_true", help="with --flip: make the unkeyed check fit again")
    parser.add_argument("--output", metavar="F", help="with --flip: the copy")
    a = parser.parse_args()
    # A mistyped code is refused before the file is read.
    code = parse_code(read_text(read_whole(a.code_file)).decode(errors="replace")) if a.code_file else None
    file = read_file(a.file)
    if a.flip is not None:
        changed = bytearray(file)
        changed[a.flip // 8] ^= 1 << a.flip % 8
        with open(a.output, "xb") as out:
            out.write(with_check(bytes(changed)) if a.recheck else changed)
        return
    if a.explain:
        explain(file)
        return
    parse(file)
    if code:
        opened = open_vault(file, code=code)
    else:
        given = read_whole(a.passphrase_file) if a.passphrase_file else getpass.getpass().encode()
        opened = open_vault(file, read_text(given))
    if a.keys:
        print(json.dumps({k: opened[k].hex() for k in ("master", "seal_key", "commit", "vault_id")}))
        return
    shown = history(opened) if a.history else opened["settings"]
    print(json.dumps(as_json(shown), ensure_ascii=False, indent=2))


if __name__ == "__main__":
    try:
        main()
    except Refused as refusal:
        print(f"coffer_audit: {refusal}", file=sys.stderr)
        sys.exit(EXIT_CODES[refusal.failure])
