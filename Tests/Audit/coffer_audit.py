#!/usr/bin/python3
"""Opens a Coffer vault of format version 1 without any code of Coffer, and prints its settings as JSON.

Needs PyNaCl and argon2-cffi (Debian: python3-nacl, python3-argon2). It keeps secrets in ordinary memory.
"""

import argparse
import base64
import datetime
import getpass
import json
import math
import os
import sys
import unicodedata

from property_list import Date, Refused
from vault_file import FIELDS, Decoder, parse_code, read_file

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
    if isinstance(value, Date):
        if value.is_integer() and 0 < abs(value) < 2e10:  # a date has no -0
            date = datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=float(value))
            return {"$date": date.isoformat() + "Z"}
        return {"$date": float(value)}
    return {"$real": str(value)} if isinstance(value, float) and not math.isfinite(value) else value


def explain(d):
    """A line for each part: offset, width, name, value, verdict. Parts of the plaintext have offsets in that."""
    end = d.fields.get("header_len", d.size)
    rows = [(name, at, width, d.fields.get(name, d.file[at:at + width])) for name, (at, width) in FIELDS.items()]
    rows += [(f"slot {i}", at, 4 + len(data), f"type {kind}") for i, (at, kind, data) in enumerate(d.slots)]
    rows += [("commitment", end, 32, d.file[end:end + 32]), ("box", end + 32, d.size - end - 64, "")]
    rows += [("check", d.size - 32, 32, d.file[-32:]), ("size", 0, d.size, d.size)]
    if d.plaintext:
        s, m = d.settings_len, d.metadata_len
        rows += [("vault_id", 0, 16, d.vault_id), ("generation", 16, 8, d.generation), ("settings_len", 24, 4, s)]
        rows += [("metadata_len", 28, 4, m), ("settings", 32, s, ""), ("metadata", 32 + s, m, "")]
        rows.append(("padding", 32 + s + m, len(d.plaintext) - 32 - s - m, ""))
    rows += [(part, "", "", "") for part in d.verdicts if part not in {row[0] for row in rows}]
    for name, at, width, value in rows:
        verdict = str(d.verdicts[name] or "ok") if name in d.verdicts else "-"
        print(f"{at:>8} {width:>8}  {name:<12}  {value.hex() if isinstance(value, bytes) else value:<64}  {verdict}")
    print("answer:", d.answer or ("success" if d.plaintext else "no failure up to step 6"))


def read_secret(path):
    with open(path, "rb") as file:
        return file.read(65_536)  # more than any passphrase or code has


def as_passphrase(data):
    """ "Passphrases": what was read is brought to the bytes that count. """
    if data.endswith(b"\n"):
        data = data[:-2] if data.endswith(b"\r\n") else data[:-1]
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
    parser.add_argument("--explain", action="store_true", help="print all parts with a verdict on each, those of the "
                        "contents only with a passphrase or code in a file")
    a = parser.parse_args()
    code = parse_code(read_secret(a.code_file)) if a.code_file else None  # refused before the file is read
    passphrase = as_passphrase(read_secret(a.passphrase_file)) if a.passphrase_file else None
    d = Decoder(*read_file(a.file), go_on=a.explain)
    if code is None and passphrase is None:
        d.read_header()
        if not a.explain:
            passphrase = as_passphrase(getpass.getpass().encode(errors="surrogateescape"))
    if code or passphrase is not None:
        d.open(passphrase, code, allow_large_memory=a.allow_large_memory)
    if a.explain:
        explain(d)
        if d.answer:
            raise d.answer
    else:
        print(json.dumps(as_json(d.settings), indent=2))


if __name__ == "__main__":
    try:
        try:
            main()
            sys.stdout.flush()
        except OSError as error:
            raise Refused("ioError", str(error)) from None
        except MemoryError:
            raise Refused("notEnoughMemory") from None
        except (EOFError, KeyboardInterrupt, UnicodeDecodeError):
            raise Refused("refused", "no passphrase") from None
    except Refused as refusal:
        print(f"coffer_audit: {refusal}", file=sys.stderr)
        os._exit(EXIT_CODES[refusal.failure])  # no second try to write what could not be written
