#!/usr/bin/python3
"""Vaults between `coffer` and the second implementation, both ways: what one writes, the other opens and understands.

    interop.py COFFER [--seed N] [--count N] [--only I]

Each vault hangs on the seed and its number alone: --seed and --only make a failing one again. What a failing vault
left on the disk is kept, and its path printed.
"""

import argparse
import base64
import concurrent.futures
import copy
import datetime
import fractions
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unicodedata

from nacl.bindings import crypto_scalarmult_base

from coffer_audit import as_json, as_passphrase
from property_list import Date, encode
from test_helper import history
from vault_file import (
    B, Decoder, argon2id, fingerprint_of, is_name, kdf_block, make_code, make_plaintext, make_slot, parse_code,
    read_file, recipient_keys, seal)

DAY = 86_400_000
LETTERS = ("abcxyzABC019 ._-/$%=\u00e4\u00df\u00e9\u0153\u0416\u4e2d\u65e5\ud7a3"
           "\ue000\uffff\U00010000\U0001f511\U0010ffff")


class Wrong(Exception):
    """The two implementations do not agree."""


def want(good, what):
    if not good:
        raise Wrong(what)


def same(what, found, expected):
    """Two values are the same, types too; says where they are not."""
    if encode({"": found}) == encode({"": expected}):
        return
    if isinstance(found, dict) and isinstance(expected, dict):
        want(found.keys() == expected.keys(), f"{what}: keys {sorted(found)}, not {sorted(expected)}")
        for key in found:
            same(f"{what} / {key!r}", found[key], expected[key])
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for number, pair in enumerate(zip(found, expected)):
            same(f"{what} / {number}", *pair)
    raise Wrong(f"{what}: {str(found)[:300]!r}, not {str(expected)[:300]!r}")


def now():
    return time.time_ns() // 1_000_000


def nfc(value):
    """A value as an Encoder takes it from outside: nested keys in NFC ("Setting names")."""
    if isinstance(value, dict):
        return {unicodedata.normalize("NFC", key): nfc(element) for key, element in value.items()}
    return [nfc(element) for element in value] if isinstance(value, list) else value


def from_json(tree):
    """A value from what `coffer get --json` printed."""
    if isinstance(tree, list):
        return [from_json(element) for element in tree]
    if not isinstance(tree, dict):
        return tree
    if len(tree) == 1:
        (key, text), = tree.items()
        if key.startswith("$$"):
            return {key[1:]: from_json(text)}
        if key == "$data":
            return base64.b64decode(text, validate=True)
        if key == "$real":
            return float(text)
        if key == "$date" and isinstance(text, str):
            whole, _, part = text.removesuffix("Z").partition(".")
            since = datetime.datetime.fromisoformat(whole) - datetime.datetime(2001, 1, 1)
            seconds = since.days * 86_400 + since.seconds
            return Date(float(seconds + fractions.Fraction(int(part or 0), 10 ** len(part))))
        if key == "$date":
            return Date(text)
        want(not key.startswith("$"), f"coffer prints {key}")
    return {key: from_json(element) for key, element in tree.items()}


def kind(value):
    return {bool: "boolean", int: "integer", float: "real", Date: "date", bytes: "data", str: "string", list: "array",
            dict: "dictionary"}[type(value)]


class Draw(random.Random):
    """Random vaults."""

    def text(self, most=12):
        return "".join(self.choice(LETTERS) for _ in range(self.choice((0, 1, 2, 3, 14, 15, 16, most))))

    def name(self):
        if self.random() < 0.03:
            return "\u00e9" * 512
        return (self.choice(("", "", "e\u0301", "-", "$date", "mail/")) + self.text()).replace("\ufffe", "") or "n"

    def double(self):
        return self.choice((0.0, -0.0, 1.0, 0.1, -2.5e300, 5e-324, 1e21, 1e16, -1e-7, 2.0**53, self.uniform(-1e6, 1e6),
                            struct.unpack("<d", self.randbytes(7) + b"\x3f")[0]))

    def value(self, depth=2):
        which = self.randrange(10 if depth <= 32 and self.random() < 0.7 else 7)
        if which == 0:
            return self.random() < 0.5
        if which == 1:
            edges = [side + near for side in (0, 1 << 8, 1 << 16, 1 << 31, 1 << 32, 1 << 53) for near in (-1, 0, 1)]
            return self.choice((*edges, (1 << 63) - 1, -1 << 63, -self.getrandbits(40), self.getrandbits(62)))
        if which == 2:
            return self.choice((self.double(), float("inf"), float("-inf"), float("nan")))
        if which == 3:
            return Date(self.choice((self.double(), self.randrange(-10**9, 10**9), self.uniform(-1e9, 1e9), 0.25)))
        if which == 4:
            return self.randbytes(self.choice((0, 1, 14, 15, 255, 256, 300)))
        if which in (5, 6):
            return self.choice((self.text(60), "\0\x1b\x7f\x85\u202e\r\n", "a" * 255, "a" * 256))
        if which == 7:
            return [self.value(depth + 1) for _ in range(self.choice((0, 1, 3, 15)))]
        if which == 8:
            keys = [self.choice(("", "\0", "$data", "$$x", "A\u030a", self.text())) for _ in range(4)]
            return {key: self.value(depth + 1) for key in dict.fromkeys(keys[:self.choice((0, 1, 2, 4))])}
        inner = self.value(33)
        for _ in range(self.randrange(34 - depth)):
            inner = [inner] if self.random() < 0.5 else {"k": inner}
        return inner

    def settings(self):
        count = self.choice((0, 1, 2, 3, 5, 8, 13, 60)) if self.random() < 0.95 else 400
        settings = {name: self.value() for name in (self.name() for _ in range(count)) if is_name(name)}
        if self.random() < 0.05:
            settings["large"] = self.randbytes(self.choice((4_000, 60_000, 70_000, 2_000_000)))
        return settings

    def time(self):
        return self.choice((0, 1, -5, now() - self.randrange(300 * DAY), now() - self.randrange(3_000 * DAY),
                            now() + 300 * DAY, (1 << 63) - 1))

    def unknown(self):
        return {f"x-{self.randrange(9)}": self.value(5) for _ in range(self.choice((0, 0, 0, 1, 2)))}

    def metadata(self, settings):
        """All of it is OPTIONAL."""
        if self.random() < 0.25:
            return {}
        metadata, names = self.unknown(), sorted(settings, key=str.encode)
        if self.random() < 0.7:
            digest = B("coffer1-ages", encode(settings), n=16)
            metadata["modified"] = digest + b"".join(struct.pack("<q", self.time()) for _ in names)
            if self.random() < 0.2:  # an Encoder that knows nothing of ages changed the settings
                metadata["modified"] = self.randbytes(16) + self.randbytes(self.randrange(40))
        if self.random() < 0.6:
            metadata["removed"] = {name: self.time() for name in (self.name() for _ in range(self.randrange(4)))}
        if self.random() < 0.6:
            chosen = [name for name in names if self.random() < 0.5] + [self.name()] * (self.random() < 0.5)
            metadata["previous"] = {
                name: {"saved": self.time(), "value": self.value(3), **self.unknown()} for name in chosen}
        return metadata

    def passphrase(self):
        """The bytes of a file; "Passphrases" says what they stand for."""
        plain = self.choice((self.randbytes(self.randint(1, 40)), ("p" + self.text()).encode(), b"e\xcc\x81 ",
                             b"q" * 1_024, b"a\0b", b" tab\t"))
        return plain.rstrip(b"\r\n") + self.choice((b"", b"\n", b"\r\n")) if plain.rstrip(b"\r\n") else b"p"


class Trial:
    """One vault, in a folder of its own, with a freshness state of its own."""

    def __init__(self, coffer, seed, number):
        self.coffer, self.number, self.draw = coffer, number, Draw(f"{seed}/{number}")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"coffer-interop-{number}-"))
        self.vault = self.folder / "vault.coffer"
        self.recipients = []  # (seed, public key)
        self.log = []

    def run(self, *arguments, code=0, names=()):
        """Runs the command line, with the names after all options."""
        arguments = (arguments[0], "--vault", self.vault, "--no-input", "-q", *arguments[1:])
        self.log.append(" ".join(map(repr, map(str, (*arguments[0:1], *arguments[5:], *names)))))
        done = subprocess.run([self.coffer, *arguments, "--", *names], capture_output=True, stdin=subprocess.DEVNULL,
                              env={"XDG_STATE_HOME": str(self.folder / "state"), "PATH": "/usr/bin:/bin"}, timeout=120)
        want(done.returncode == code, f"coffer ended with {done.returncode}, not {code}: {done.stderr.decode()}")
        return done.stdout

    def open(self, **secret):
        return Decoder(*read_file(self.vault)).open(**secret or {"passphrase": self.passphrase})

    def keep_passphrase(self, name, data):
        (self.folder / name).write_bytes(data)
        return as_passphrase(data)

    # ---- Python writes, coffer reads

    def write(self):
        draw = self.draw
        self.passphrase = self.keep_passphrase("passphrase", draw.passphrase())
        settings = draw.settings()
        metadata, slots, salt = draw.metadata(settings), [], draw.randbytes(16)
        master = argon2id(self.passphrase, salt, 1, 8_192)
        shared = self.number % 40 == 3  # these change their passphrase later
        if shared or draw.random() < 0.5:
            metadata["owner"] = draw.randbytes(32)
            people = []
            for _ in range(draw.choice((1, 2, 5) if shared else (0, 1, 2, 5, 14))):
                seed = draw.randbytes(16)
                self.recipients.append((seed, recipient_keys(seed)[1]))
                people.append({"key": self.recipients[-1][1], "label": draw.name(), **draw.unknown()})
                slots.append(make_slot(metadata["owner"], self.recipients[-1][1], master, draw.randbytes(32)))
            if people or draw.random() < 0.5:
                metadata["recipients"] = people
        for _ in range(draw.choice((0, 0, 0, 1, 2))):
            data = draw.randbytes(draw.choice((0, 1, 112, 300)))
            slot = struct.pack("<HH", draw.choice((0, 2, 257, 65_535)), len(data)) + data
            slots.insert(draw.randint(0, len(slots)), slot)
        plaintext = make_plaintext(draw.randbytes(16), draw.choice((1, 2, 1 << 32, 1 << 62)), encode(settings),
                                   encode(metadata) if metadata else b"")
        file = seal(master, kdf_block(1, 8_192, salt), slots, plaintext, draw.randbytes(32))
        self.vault.touch(mode=0o600)
        self.vault.write_bytes(file)

    def compare(self):
        """What `coffer` says of the vault, against what this reader finds in it."""
        d = self.open()
        listed = json.loads(self.run("list", "--json", "--passphrase-file", self.folder / "passphrase"))
        names = sorted(d.settings, key=str.encode)
        want(sorted((row["name"], row["type"]) for row in listed)
             == sorted((name, kind(d.settings[name])) for name in names), f"listed: {listed}")
        ages, latest = history(d)["modified"], now() + DAY
        for row in listed:
            age = ages[row["name"]]
            shown = age and datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=min(age, latest) // 1_000)
            good = row["modified"] == (shown and shown.isoformat() + "Z") or age and age > latest - DAY
            want(good, f"listed: {row}, not {age}")
        if names:
            text = self.run("get", "--json", "--passphrase-file", self.folder / "passphrase", names=names)
            # Names are no values: a setting `$data` alone is written `$$data`.
            got = from_json(json.loads(text))
            same("got", got, d.settings)
        header, f = json.loads(self.run("inspect", "--json")), d.fields
        expected = {
            "version": 1, "passes": f["ops"], "memoryKiB": f["mem"], "slotTypes": [kind for _, kind, _ in d.slots],
            "headerBytes": f["header_len"], "sealedBytes": f["box_len"] - 16, "fileBytes": d.size,
            "salt": f["salt"].hex(), "nonce": f["nonce"].hex(), "commitment": d.commitment.hex(),
            "check": d.file[-32:].hex()}
        want({key: header.get(key) for key in expected} == expected, f"inspect: {header}")
        checked = json.loads(self.run("check", "--json"))
        want(checked["whole"] is True and checked["bytes"] == d.size, f"check: {checked}")

    # ---- coffer changes, Python reads

    def known(self, name):
        """A look-up tries the bytes that it was given first, then their NFC."""
        return name if name in self.settings else unicodedata.normalize("NFC", name)

    def change(self):
        """One save by `coffer`, and the same change to what was there, by the words of "Metadata"."""
        draw, before, word = self.draw, self.open(), ("--passphrase-file", self.folder / "passphrase")
        self.settings, self.past = copy.deepcopy(before.settings), copy.deepcopy(history(before))
        ages, removed, previous = self.past["modified"], self.past["removed"], self.past["previous"]
        fresh = [draw.name() for _ in range(9)] + 3 * sorted(name for name in removed if self.known(name) == name)
        fresh = [name for name in fresh if is_name(name) and self.known(name) not in self.settings]
        there = sorted(self.settings, key=str.encode)
        what = draw.choice(("set", "set", "add", "unset", "undoable", "rename", "undo", "undo") if there else ("add",))
        name, start = draw.choice(there or fresh), now()
        undoable = sorted((key for key in previous if self.known(key) == key), key=str.encode)
        if what == "undo" and not undoable or what == "rename" and name == "large":
            what = "set"
        if what in ("set", "add"):
            name = draw.choice(fresh) if what == "add" else name
            value = nfc(draw.value())
            (self.folder / "value").write_text(json.dumps(as_json(value)))
            if isinstance(value, bytes) and draw.random() < 0.5:
                (self.folder / "value").write_bytes(value)
                self.run("set", "--type", "data", "--allow-empty", "--file", self.folder / "value", *word, names=[name])
            elif isinstance(value, str) and draw.random() < 0.5:
                (self.folder / "value").write_bytes(value.encode() + b"\n")
                self.run("set", "--allow-empty", "--file", self.folder / "value", *word, names=[name])
            else:
                self.run("set", "--type", "json", "--allow-empty", "--file", self.folder / "value", *word, names=[name])
            name = self.known(name)
            old, self.settings[name] = self.settings.get(name), value
            removed.pop(name, None)
            if old is None:
                previous.pop(name, None)
            if old is None or encode({"": old}) != encode({"": value}):
                ages[name] = start
                if old is not None:
                    previous[name] = {**previous.get(name, {}), "saved": start, "value": old}
        elif what in ("unset", "undoable"):
            self.run("unset", *(["--undoable"] * (what == "undoable")), *word, names=[name])
            old = self.settings.pop(name)
            ages.pop(name)
            removed[name] = start
            if what == "undoable":
                previous[name] = {**previous.get(name, {}), "saved": start, "value": old}
            else:
                previous.pop(name, None)
        elif what == "rename":
            new = draw.choice(fresh)
            self.run("rename", *word, names=[name, new])
            new = self.known(new)
            self.settings[new], ages[new], removed[name] = self.settings.pop(name), ages.pop(name), start
            removed.pop(new, None)
            previous.pop(new, None)
            if name in previous:
                previous[new] = previous.pop(name)
        elif what == "undo":
            name = draw.choice(undoable)
            self.run("undo", *word, names=[name])
            entry = previous[name]
            if name in self.settings:
                equal = encode({"": self.settings[name]}) == encode({"": entry["value"]})
                self.settings[name], entry["value"] = entry["value"], self.settings[name]
                entry["saved"] = start
                ages[name] = ages[name] if equal else start
            else:
                self.settings[name], ages[name] = entry["value"], start
                del previous[name]
            removed.pop(name, None)
        after = self.open()
        self.judge(before, after, start)
        want(after.file[12:40] == before.file[12:40] and after.commitment == before.commitment, "another KDF block")
        want(after.file[72:after.fields["header_len"]] == before.file[72:before.fields["header_len"]], "other slots")
        if after.generation != before.generation:
            want(after.fields["nonce"] != before.fields["nonce"], "the same nonce")

    def judge(self, before, after, start):
        """The contents after a save: what was expected, and nothing else."""
        want(after.vault_id == before.vault_id, "another vault_id")
        want(after.generation == before.generation + 1, f"generation {before.generation}, then {after.generation}")
        same("settings", after.settings, self.settings)
        found, past = history(after), self.past
        want(found["current"], "the ages do not fit the settings")
        for name, age in past["modified"].items():
            other = found["modified"][name]
            want(same_time(other, age, start), f"age of {name!r}: {other}, not {age}")
        for name, age in past["removed"].items():  # old ones may be dropped
            late = name not in found["removed"] and age < start - 300 * DAY
            want(late or same_time(found["removed"].get(name, -1), age, start), f"removed: {name!r}")
        want(found["removed"].keys() <= past["removed"].keys(), "more is removed")
        names = [sorted(side["previous"]) for side in (found, past)]
        want(names[0] == names[1], f"previous values of {names[0]}, not {names[1]}")
        for name, entry in past["previous"].items():
            other = found["previous"][name]
            want(same_time(other["saved"], entry["saved"], start), f"saved of {name!r}: {other['saved']}")
            same(f"previous of {name!r}", {**other, "saved": 0}, {**entry, "saved": 0})
        kept = [{key: value for key, value in d.metadata.items() if key not in ("modified", "removed", "previous")}
                for d in (before, after)]
        same("metadata", kept[1], kept[0])

    def change_passphrase(self):
        """A new salt, and every slot made again for its recipient; then every code opens it."""
        before = self.open()
        self.settings, self.past, start = before.settings, history(before), now()
        new = self.keep_passphrase("new", self.draw.passphrase()[:1_000] + b"2")
        self.run("passphrase", "--passphrase-file", self.folder / "passphrase", "--new-passphrase-file",
                 self.folder / "new", "--allow-weak", "--cost", "3,64M")
        (self.folder / "new").rename(self.folder / "passphrase")
        self.passphrase = new
        after = self.open()
        want(after.fields["ops"] >= 3 and after.fields["mem"] >= 65_536, "a cost that no Encoder chooses")
        want(after.fields["salt"] != before.fields["salt"] and after.commitment != before.commitment, "the same key")
        self.judge(before, after, start)
        want(len(after.slots) == len(self.recipients), f"{len(after.slots)} slots of {len(self.recipients)}")
        for number, (seed, public) in enumerate(self.recipients):
            want(after.metadata["recipients"][number]["key"] == public, "recipients in another order")
            fingerprint = fingerprint_of(crypto_scalarmult_base(after.metadata["owner"]))
            opened = self.open(code=parse_code(make_code(seed, fingerprint).encode()))
            want(opened.slot == number and opened.master == after.master, f"the code of slot {number}")
            want(opened.slots[number][2] not in [data for _, _, data in before.slots], "a slot is as it was")

    # ---- coffer makes, Python reads

    def make(self):
        self.passphrase = self.keep_passphrase("passphrase", self.draw.passphrase())
        self.run("init", "--cost", "3,64M", "--allow-weak", "--passphrase-file", self.folder / "passphrase")
        d = self.open()
        want((d.settings, d.generation, d.slots) == ({}, 1, []), "a new vault is not empty")

    def go(self):
        if self.number % 100 == 7:
            self.make()
        else:
            self.write()
            self.compare()
        for _ in range(2 if self.number % 100 == 7 else self.draw.choice((1, 1, 2, 3))):
            self.change()
        if self.number % 40 == 3:
            self.change_passphrase()
            self.change()
        self.compare()


def same_time(found, expected, start):
    """Below 0 is 0, more than a day ahead is now; what was set at `start` came a little later."""
    found, expected = found or 0, max(expected or 0, 0)
    if found == expected or max(found, 0) == expected:
        return True
    return (expected == start or expected > start + DAY) and start <= found <= now()


def attempt(coffer, seed, number):
    trial = Trial(coffer, seed, number)
    try:
        trial.go()
    except Exception as error:
        log = "\n    ".join(trial.log)
        problem = f"vault {number}: {type(error).__name__}: {str(error)[:2_000]}"
        return f"{problem}\n  kept in {trial.folder}, after\n    {log}"
    shutil.rmtree(trial.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("coffer")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", type=int)
    a = parser.parse_args()
    print(f"interop: seed {a.seed}, {a.count} vaults", flush=True)
    numbers = range(a.count) if a.only is None else [a.only]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda number: attempt(os.path.abspath(a.coffer), a.seed, number), numbers)
        failures = [failure for failure in answers if failure]
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{len(numbers) - len(failures)} passed, {len(failures)} failed (--seed {a.seed} makes the same again)")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
