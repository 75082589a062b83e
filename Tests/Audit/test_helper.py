#!/usr/bin/python3
"""What tests and the demo want of the auditor's reader, and an auditor does not.

    test_helper.py keys VAULT PASSPHRASE_FILE          the derived keys in hex
    test_helper.py settings VAULT PASSPHRASE_FILE      the settings in the notation of the vectors
    test_helper.py history VAULT PASSPHRASE_FILE       ages, tombstones and last values
    test_helper.py flip VAULT BIT COPY [recheck]       a copy with one bit changed (byte * 8 + bit); recheck: and with
                                                       a check that fits it again
"""

import json
import struct
import sys

from coffer_audit import as_passphrase, read_secret
from property_list import Date
from vault_file import B, Decoder, read_file


def notation(value):
    """A value in the notation of the vectors ("Test vectors")."""
    if isinstance(value, dict):
        return {key: notation(value[key]) for key in sorted(value, key=str.encode)}
    if isinstance(value, list):
        return [notation(element) for element in value]
    if isinstance(value, bytes):
        return {"$data": value.hex()}
    if isinstance(value, float):
        return {"$date" if isinstance(value, Date) else "$real": struct.pack(">d", value).hex()}
    return {"$int": str(value)} if type(value) is int and abs(value) > 1 << 53 else value


def value_of(tree):
    """The value of a notation."""
    if isinstance(tree, list):
        return [value_of(element) for element in tree]
    if not isinstance(tree, dict):
        return tree
    if len(tree) == 1:
        (key, text), = tree.items()
        if key == "$data":
            return bytes.fromhex(text)
        if key == "$int":
            return int(text)
        if key in ("$real", "$date"):
            return (Date if key == "$date" else float)(struct.unpack(">d", bytes.fromhex(text))[0])
    return {key: value_of(element) for key, element in tree.items()}


def history(opened):
    """What the metadata say of the settings' past, as far as a reader takes it for true ("Metadata")."""
    names, metadata = sorted(opened.settings, key=str.encode), opened.metadata
    ages = metadata.get("modified", b"")
    known = ages[:16] == B("coffer1-ages", opened.settings_bytes, n=16)
    times = struct.unpack(f"<{len(names)}q", ages[16:]) if known else [0] * len(names)
    removed = metadata.get("removed", {})
    return {
        "current": known,
        "modified": {name: time if time > 0 else None for name, time in zip(names, times)},
        "removed": {name: time for name, time in removed.items() if name not in opened.settings},
        "previous": metadata.get("previous", {}) if known else {},
    }


def flipped(file, bit, recheck=False):
    changed = bytearray(file)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed[:-32]) + B("coffer-check", bytes(changed[:-32])) if recheck else bytes(changed)


def main(command, path, argument, *more):
    file, _ = read_file(path)
    if command == "flip":
        with open(more[0], "xb") as out:
            out.write(flipped(file, int(argument), more[1:] == ("recheck",)))
        return
    opened = Decoder(file).open(as_passphrase(read_secret(argument)))
    answers = {
        "keys": lambda: {"master": opened.master.hex(), "seal_key": opened.sealing_key.hex()},
        "settings": lambda: notation(opened.settings),
        "history": lambda: history(opened),
    }
    print(json.dumps(answers[command]()))


if __name__ == "__main__":
    main(*sys.argv[1:])
