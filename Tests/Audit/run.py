#!/usr/bin/python3
"""Holds the second implementation against all vectors, and the article, the generator and the tool against it."""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

import article
import coffer_audit
import encoder
import test_helper
import vault_file
from encoder import kdf_block, make_plaintext, seal
from property_list import Date, encode
from vault_file import MAGIC, Decoder, Refused, parse_code, read_file
from vector_file import FRESHNESS, KNOWN, SECRETS, WORDS, parse_vector

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VECTORS = ROOT / "Tests" / "Vectors"
FOLDERS = {"v1": 250, "independent": 90, "golden": 1}  # and how many there are at least
UNKNOWN = {"basic_nonce_zero", "salamander_first"}  # vectors without random32: their nonce is not derived
SAME = {"basic", "code"}  # made alike by both writers
AFTER_STRUCTURE = {"success", "wrongPassphrase", "noMatchingSlot", "tampered", *FRESHNESS}
results = {"passed": 0, "failed": 0}


def case(name, check, *arguments):
    try:
        problems = list(check(*arguments))
    except Exception as error:  # a broken vector or reader is a failure of this case, and the others still run
        problems = [f"{type(error).__name__}: {error}"]
    results["failed" if problems else "passed"] += 1
    for problem in problems:
        print(f"FAILED {name}: {problem}")


def known_of(words):
    """The state of "Freshness" that a vector gives."""
    known = {}
    if "known-path-id" in words:
        known["path_id"] = bytes.fromhex(words["known-path-id"])
    if "known-vault-id" in words:
        known["generation"] = int(words["known-generation"])
        known["replaced"] = [bytes.fromhex(value) for value in words["known-replaced"]]
        known |= {key: bytes.fromhex(words["known-" + key.replace("_", "-")])
                  for key in ("vault_id", "check", "commitment")}
    return known


def answer_words(words, vault, folder):
    """The words that this reader would have written, and the Decoder; what it cannot know is not among them."""
    found, d, code, passphrase = {"expect": "success"}, None, None, None
    try:
        if "recovery-code" in words:
            code = parse_code(words["recovery-code"].encode())
            found |= {"seed": code[0].hex(), "fingerprint": code[1].hex()}
        elif "passphrase" in words:
            passphrase = words["passphrase"].encode()
        else:
            passphrase = b"" if words["passphrase-hex"] == "none" else bytes.fromhex(words["passphrase-hex"])
        path = pathlib.Path(folder, "vault")
        with open(path, "wb") as file:
            file.write(vault)
            file.truncate(len(vault) + int(words.get("append-zeros", 0)))
        d = Decoder(*read_file(path))
        d.open(passphrase, code, known_of(words), allow_large_memory=True)
    except Refused as refusal:
        numbers = zip(("field", "value", "bound"), refusal.args[2:])
        found |= {"expect": refusal.args[0], **{key: str(number) for key, number in numbers if number is not None}}
    success = found["expect"] == "success"
    if hasattr(d, "master"):
        found |= {"master": d.master.hex(), "commitment": d.commitment.hex()}
    if d and d.plaintext:
        found |= {"sealing-key": d.sealing_key.hex(), "nonce": d.fields["nonce"].hex()}
    if success or found["expect"] in FRESHNESS:
        found |= {"vault-id": d.vault_id.hex(), "generation": str(d.generation)}
    if success and code:
        found |= {"recipient-secret": d.recipient_secret.hex(), "recipient-public": d.recipient_public.hex(),
                  "slot": str(d.slot), "slot-key": d.slot_key.hex()}
    if success:
        found |= {"check": d.file[-32:].hex(), "settings-length": str(d.settings_len),
                  "metadata-length": str(d.metadata_len),
                  "padding-length": str(len(d.plaintext) - 32 - d.settings_len - d.metadata_len)}
        for name in ("settings", "metadata"):
            value, data = getattr(d, name), getattr(d, f"{name}_bytes")
            if data:
                found[name] = hashlib.sha256(data).hexdigest()
            if 0 < len(data) <= 4_096:
                found[f"{name}-json"] = json.dumps(test_helper.notation(value), separators=(",", ":"))
    return found, d


def check_vector(path, folder):
    if path.is_symlink() or not path.is_file() or not re.fullmatch(r"[a-z0-9_-]+", path.name):
        yield "not a file with the name of a vector"
        return  # nothing that could have no end is read
    words, vault = parse_vector(path.read_bytes())
    if "nonce" in words and "random32" not in words and path.name not in UNKNOWN and path.parent.name != "golden":
        yield "random32 is missing"
    found, d = answer_words(words, vault, folder)
    # The class first: after another one, hardly any word is the same.
    given = {"comment", "random32", "append-zeros", *SECRETS, *KNOWN}
    for word in WORDS:
        if word not in given and found.get(word) != words.get(word):
            yield f"{word} is {found.get(word)}, the vector has {words.get(word)}"
            if word == "expect":
                return
    for word, data in (("settings-json", "settings_bytes"), ("metadata-json", "metadata_bytes")):
        if word in words and encode(test_helper.value_of(json.loads(words[word]))) != getattr(d, data):
            yield f"{word} has another encoding than the file"
    if "random32" in words:
        plaintext = d.plaintext  # of a failure at step 10: no Encoder makes it
        if words["expect"] != "invalidContents":
            lists = encode(d.settings), encode(d.metadata) if d.metadata_len else b""
            plaintext = make_plaintext(d.vault_id, d.generation, *lists)
        slots = [vault[at:at + 4 + len(data)] for at, _, data in d.slots]
        if seal(d.master, vault[12:40], slots, plaintext, bytes.fromhex(words["random32"])) != vault:
            yield "the Encoder makes another file of its contents"
    if d:
        yield from check_rows(d, words["expect"])
    yield from check_explained(vault)


def check_rows(d, answer):
    """--explain: rows one after another that are all of the file, or of the plaintext, with its values; the answer."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        coffer_audit.explain(d)
    lines = out.getvalue().splitlines()
    if not re.match(rf"answer: {re.escape(answer)}(?:: |$)", lines[-1]):
        yield f"--explain has another answer than {answer}: {lines[-1]}"
    good = d.file[:8] == MAGIC
    parts, data, size = [[]], [d.file, d.plaintext], [d.size if good else min(8, d.size), len(d.plaintext)]
    for line in lines:
        if line.startswith("inside the box"):
            parts.append([])
        if row := re.fullmatch(r" *(\d+) +(\d+)  (.{16})  (.{64,}?)  (.+)", line):
            parts[-1].append((int(row[1]), int(row[2]), row[3].strip(), row[4].strip()))
    if len(parts) != 1 + bool(d.plaintext):
        yield "--explain does not tell what is inside the box"
    for rows, data, size in zip(parts, data, size):
        end = 0
        for at, width, name, value in rows:
            piece = data[at:at + width]
            if at != end or name == "unread" and answer in AFTER_STRUCTURE:
                yield f"--explain: {name} is at {at}, what is before it ends at {end}"
            known = value in (piece.hex(), str(int.from_bytes(piece[:8], "little")) if width <= 8 else "")
            unseen = name in ("unread", "settings", "metadata", "padding") or name == "magic" and not good
            if value not in ("", "(not looked at)", "(not shown)") if unseen else not (
                    known or name == "box" and value == piece[:16].hex()):
                yield f"--explain: {name} has the value {value}"
            end = at + width
        if end != size:
            yield f"--explain: the rows end at {end} of {size}"


def check_reading(folder):
    """The memory limit of all groups above, and a file that changes while it is read."""
    root, groups = pathlib.Path(folder, "groups"), pathlib.Path(folder, "cgroup")
    (root / "a/b").mkdir(parents=True)
    (root / "memory/c").mkdir(parents=True)
    groups.write_text("4:cpu,memory:/c\n1:cpu:/d\n0::/a/b\n")
    for name, mebibytes in (("a/b/memory.max", "max"), ("memory/c/memory.limit_in_bytes", 900),
                            ("a/memory.max", 800), ("memory/memory.limit_in_bytes", 700), ("memory.max", 600)):
        (root / name).write_text(str(mebibytes << 20) if mebibytes != "max" else "max\n")
        limit = vault_file.memory_limit(groups, root)
        if mebibytes != "max" and limit != mebibytes << 9:
            yield f"{name} of {mebibytes} MiB: the limit is {limit} KiB"
    file, path, real, left = basic()[0], pathlib.Path(folder, "moving"), os.fstat, [0]
    path.write_bytes(file)

    def moving(descriptor):
        left[0] -= 1
        if left[0] > 0:
            os.utime(path, ns=(left[0], left[0]))
        return real(descriptor)
    for left[0], still in ((3, True), (1_000, False)):
        os.fstat = moving
        try:
            if read_file(path) != (file, len(file)) or not still:
                yield "a file that changes while it is read was read otherwise"
        except Refused as refusal:
            if still or refusal.args[0] != "ioError":
                yield f"a file that changes while it is read: {refusal}"
        finally:
            os.fstat = real


def check_explained(vault):
    """--explain has something to say of every file, and the same answer."""
    for secret in (None, b"x"):
        d, answer = Decoder(vault), "no failure up to step 6"
        try:
            d.read_header()
            if secret and d.fields["mem"] < 10_000 and d.fields["ops"] < 4:
                d.open(secret)
                answer = "success"
        except Refused as refusal:
            answer = refusal.args[0]
        yield from check_rows(d, answer)


def basic():
    words, vault = parse_vector((VECTORS / "v1" / "basic").read_bytes())
    return vault, words["passphrase"].encode()


def check_folder(folder, least):
    files = [path for path in folder.rglob("*")] if folder.is_dir() else []
    if len(files) < least:
        yield f"{len(files)} vectors, there have to be {least}"
    if any(path.parent != folder for path in files):
        yield "a folder in the folder"


def check_sums(vectors):
    """What another writer or an older version made is as it came, and no folder has a copy of another's file."""
    said = (vectors / "SHA256SUMS").read_text().splitlines()
    there, found = [], {}
    for folder in FOLDERS:
        for path in sorted(path for path in (vectors / folder).rglob("*") if path.is_file()):
            name, data = path.relative_to(vectors).as_posix(), path.read_bytes()
            if folder != "v1":
                there.append(f"{hashlib.sha256(data).hexdigest()}  {name}")
            first = found.setdefault(data, path)
            if first.parent != path.parent and path.name not in SAME:
                yield f"{name} is {first.relative_to(vectors)} again"
    if said != sorted(said, key=lambda line: line[64:]):
        yield "SHA256SUMS is not in the order of the names"
    for name in sorted({line[66:] for line in set(said) ^ set(there)}):
        yield f"{name} is not as SHA256SUMS says, not there or not in it"


def check_sums_notice(folder):
    """A file that is changed, added, lost, renamed or copied is seen."""
    place = pathlib.Path(folder, "sums")
    for name in ("v1/a", "independent/b", "independent/basic", "v1/basic", "golden/c"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("basic" if name.endswith("basic") else name)
    names = ("golden/c", "independent/b", "independent/basic")
    lines = [f"{hashlib.sha256((place / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (place / "SHA256SUMS").write_text("".join(lines))
    yield from check_sums(place)
    for name, data in (("golden/c", b"changed"), ("golden/d", b"added"), ("independent/a", b"v1/a"),
                       ("golden/b", b"independent/b"), ("golden/c", None), ("independent/b", None)):
        before = (place / name).read_bytes() if (place / name).exists() else None
        for each in (data, before):
            (place / name).unlink(missing_ok=True)
            if each is not None:
                (place / name).write_bytes(each)
            if bool(list(check_sums(place))) != (each == data):
                yield f"does not see {name} with {data}, or more than that"


def stray():
    """What belongs to no vector, for what is in a good one that expects `damaged`."""
    given, hex32 = b"passphrase: p", b"0" * 64
    record = b"\nknown-vault-id: " + hex32[:32] + b"\nknown-generation: %s\nknown-check: %s"
    record += b"\nknown-commitment: " + hex32
    for text in (b" p", b"p ", b"p\x07", b"p\x7f", b"p\xc2\x85", b"e\xcc\x81"):
        yield given, b"passphrase: " + text
    for text in (b"nonenone", b"none00", b"00none", b"0", b"0 0", b"00 00", b"AA", b"0x00", b"gg", b" 00",
                 b"\xd9\xa0\xd9\xa0"):
        yield given, b"passphrase-hex: " + text
    for text in (b"-1", b"+1", b"01", b"1_0", b" 1", b"1 ", b"", b"1.0", b"\xd9\xa1", b"18446744073709551616"):
        yield given, given + b"\nappend-zeros: " + text
        yield given, given + record % (text, hex32)
    for text in (hex32[2:], hex32 + b"00", hex32[:-1] + b"A", hex32[:-1] + b" ", hex32[:-1]):
        yield given, given + record % (b"1", text)
    for word in (b"generation: 1", b"check: " + hex32, b"commitment: " + hex32, b"replaced: " + hex32):
        yield given, given + b"\nknown-" + word
    for word in (b"field: ops", b"value: 1", b"bound: 1"):
        yield b"damaged", b"damaged\n" + word
    for word in (b"seed: " + hex32[:32], b"slot: 1", b"master: " + hex32, b"nonce: " + hex32[:48],
                 b"random32: " + hex32, b"check: " + hex32, b"vault-id: " + hex32[:32], b"generation: 1",
                 b"settings-length: 1", b"metadata-length: 0", b"settings: " + hex32,
                 b"settings-json: {}", b"metadata-json: {}"):
        yield given, given + b"\n" + word
    for name in (b"limitExceeded", b"unsupportedFeature", b"unsupportedVersion", b"tampered", b"invalidContents",
                 b"success", b"replaced", b"rolledBack", b"forked", b"rekeyed"):
        yield b"damaged", name  # all that goes with it is missing
    yield b"damaged\npassphrase: p", b"wrongPassphrase\npassphrase: p\nappend-zeros: 1"
    yield b"damaged\npassphrase: p", b"noMatchingSlot\nrecovery-code: p"
    for text in (b"\x1b[2J", b"c\r", b"c\x7f", b"c\xc2\x9b"):
        yield b": c", b": " + text


def check_strictness():
    """The reader of vectors refuses what is no vector."""
    good = b"comment: c\nexpect: damaged\npassphrase: p\n\nvault"
    parse_vector(good)
    hex32 = b"0" * 64
    known = b"\nknown-vault-id: " + hex32[:32] + b"\nknown-generation: 10\nknown-check: " + hex32
    known += b"\nknown-commitment: " + hex32
    parse_vector(good.replace(b"p\n\n", b"p\nappend-zeros: 0" + known + b"\n\n"))
    parse_vector(good.replace(b"passphrase: p", b"passphrase-hex: none"))
    for old, new in ((b"comment: c\n", b""), (b"expect: damaged\n", b""), (b"passphrase: p\n", b""),
                     (b"damaged", b"dmgd"), (b"expect", b"expects"),
                     (b"passphrase: p", b"passphrase: p\npassphrase: p"),
                     (b": c", b":c"),
                     (b": c", b": "), (b"passphrase: p", b"passphrase: p\nrecovery-code: p"), (b"\n\n", b"\n"),
                     (b"comment: c\nexpect: damaged", b"expect: damaged\ncomment: c"),
                     (b"passphrase: p", b"passphrase: \xff"),
                     (b"passphrase: p", b"passphrase: p\nknown-vault-id: " + b"0" * 32), *stray()):
        try:
            parse_vector(good.replace(old, new))
            yield f"takes a vector with {new} for {old}"
        except ValueError:
            pass


def check_flips():
    """Every bit: damage is seen, and an edit with a new check is not taken for data."""
    file, passphrase = basic()
    plain = [(bit, False) for bit in range(len(file) * 8) if bit < 1_000 or bit % 41 == 0]
    for bit, recheck in plain + [(8 * byte, True) for byte in (*range(40, 64), 72, 104, 500)]:
        wanted = "notAVault" if bit < 64 else "damaged"
        if recheck:
            wanted = "wrongPassphrase" if 72 <= bit // 8 < 104 else "tampered"
        try:
            Decoder(test_helper.flipped(file, bit, recheck)).open(passphrase)
            yield f"bit {bit} flipped and opened"
        except Refused as refusal:
            if refusal.args[0] != wanted:
                yield f"bit {bit} flipped: {refusal}, wanted {wanted}"


def check_robustness():
    """Broken files and broken contents give a failure class, whatever is wrong; so does --explain."""
    draw, (file, passphrase) = random.Random(4), basic()
    opened = Decoder(file).open(passphrase)
    for length in range(len(file)):
        yield from check_explained(file[:length])
    values = {"a": -1, "b": [-(1 << 60), 1 << 40, 7, True], "c": Date(0.5), "d": 1.5, "e": "\u00e9", "f": bytes(15)}
    lists = opened.settings_bytes, encode(values)
    for round in range(3_000):
        changed = bytearray(lists[round % 3 - 1] if round % 3 else file[:150])
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(changed))
            byte = draw.choice((0, 1, 8, 0x7F, 0xD0, 0xFF, draw.randrange(256)))
            changed[at] = draw.choice((byte, changed[at] ^ 1 << draw.randrange(8)))
        if round % 3:
            plaintext = make_plaintext(bytes(16), 1, bytes(changed))
            vault = seal(opened.master, file[12:40], [], plaintext, bytes(32))
        else:
            vault = bytes(changed) + file[150:]
            vault = vault if round % 2 else test_helper.flipped(vault, 0)
        with contextlib.suppress(Refused):
            d = Decoder(vault)
            d.read_header()
            if d.fields["ops"] == 1 and d.open(passphrase) and encode(d.settings) != d.settings_bytes:
                yield f"round {round}: settings that are not the encoding of their value"
        yield from check_explained(vault)


def check_history():
    """The rules for ages, against what the article says of a small case."""
    settings = {"a": 1, "b": "x"}
    encoded = encode(settings)
    digest = hashlib.blake2b(encoded, digest_size=16, person=b"coffer1-ages\0\0\0\0").digest()
    previous = {"a": {"saved": 7, "value": 0}}
    d = Decoder(b"")
    d.settings, d.settings_bytes = settings, encoded
    d.metadata = {"modified": digest + (5).to_bytes(8, "little") + bytes(8), "previous": previous,
                  "removed": {"b": 1, "c": 2}}
    wanted = {"current": True, "modified": {"a": 5, "b": None}, "removed": {"c": 2}, "previous": previous}
    if test_helper.history(d) != wanted:
        yield f"history is {test_helper.history(d)}"
    d.settings_bytes += b"."
    wanted = {"current": False, "modified": {"a": None, "b": None}, "removed": {"c": 2}, "previous": {}}
    if test_helper.history(d) != wanted:
        yield f"stale history is {test_helper.history(d)}"


def check_tool(folder):
    """The rescue tool as a person runs it: its exit codes and what it prints, and never a traceback."""
    place, (file, passphrase) = pathlib.Path(folder), basic()
    words, by_code = parse_vector((VECTORS / "v1" / "code").read_bytes())
    dear = MAGIC + b"\1\0\x48\0" + kdf_block(1, 1_048_576, bytes(16)) + file[40:-32]
    files = {"good": file, "word": passphrase + b"\r\n", "wrong": b"no", "none": b"", "damaged": file[:-1],
             "edited": test_helper.flipped(file, 4_000, True), "text": b"hello", "by-code": by_code,
             "code": words["recovery-code"].encode() + b"\n", "mistyped": b"COFFER1-0", "dear": dear + b"\0" * 32}
    files["dear"] = test_helper.flipped(files["dear"], 0, False)
    files["dear"] = test_helper.flipped(files["dear"], 0, True)
    # Four million objects, of which each would take memory: with references of no bytes, and without an offset table.
    master, count = Decoder(file).open(passphrase).master, 4_000_000
    for name, width in (("bomb", 0), ("bomb-2", 4)):
        data = b"bplist00\xd1" + bytes(2 * width) + b"\x51a\xaf\x12" + struct.pack(">I", count)
        data += bytes(count * width) + b"\xa0" * count
        data += struct.pack(">6xBBQQQ", 4, width, count + 3, 0, len(data))
        files[name] = seal(master, file[12:40], [], make_plaintext(bytes(16), 1, data), bytes(32))
    for name, data in files.items():
        (place / name).write_bytes(data)
    os.mkfifo(place / "fifo")
    (place / "folder").mkdir()
    with open(place / "huge", "wb") as huge:
        huge.write(file)
        huge.truncate(1 << 40)

    with open(place / "large", "wb") as large:
        large.write(file)
        large.truncate(67_113_040)

    def run(*arguments, memory=None, redirected=""):
        def limit():
            if memory:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        shell = ("/bin/sh", "-c", f'exec "$@" {redirected}', "sh") if redirected else ()
        words = (*shell, sys.executable, coffer_audit.__file__, *arguments)
        # A person's Python keeps what it prints until it ends.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, env=environment,
                              stdin=subprocess.DEVNULL, preexec_fn=limit, start_new_session=True)

    open_with = ("--passphrase-file", "word")
    for code, arguments, memory in (
            (0, ("good", *open_with), None), (0, ("good", "--explain"), None),
            (0, ("good", "--explain", *open_with), None),
            (0, ("by-code", "--code-file", "code"), None), (17, ("good", "--code-file", "mistyped"), None),
            (17, ("nowhere", "--code-file", "mistyped"), None), (12, ("good", "--code-file", "code"), None),
            (8, ("good", "--passphrase-file", "wrong"), None), (17, ("good", "--passphrase-file", "none"), None),
            (17, ("good",), None), (3, ("text",), None), (3, ("text", "--explain"), None), (19, ("nowhere",), None),
            (15, ("fifo",), None), (15, ("folder",), None), (6, ("huge",), None), (6, ("huge", "--explain"), None),
            (15, ("good", "--passphrase-file", "folder"), None), (15, ("good", "--passphrase-file", "nowhere"), None),
            (17, ("good", "--passphrase-file", "/dev/zero"), 600 << 20), (7, ("large",), 120 << 20),
            (10, ("bomb", *open_with), 280 << 20), (10, ("bomb-2", *open_with), 280 << 20),
            (15, ("/dev/zero",), None), (5, ("damaged",), None), (5, ("damaged", "--explain", *open_with), None),
            (9, ("edited", *open_with), None), (9, ("edited", "--explain", *open_with), None), (2, (), None),
            (7, ("dear", *open_with, "--allow-large-memory"), 600 << 20),
            (7, ("dear", *open_with, "--allow-large-memory", "--explain"), 600 << 20)):
        done = run(*arguments, memory=memory)
        if done.returncode != code or "Traceback" in done.stderr or (done.stderr == "") != (code == 0):
            yield f"{arguments}: ended with {done.returncode}, not {code}: {done.stderr.strip()}"
    for code, arguments, redirected, out in (
            (3, ("text",), "2>&-", ""), (3, ("text",), "2>/dev/full", ""), (3, ("text",), ">&-", ""),
            (3, ("text",), "<&- >&- 2>&-", ""), (3, ("text", "--explain"), ">/dev/full", ""),
            (3, ("text", "--explain"), "2>&-", "answer: notAVault\n"), (17, ("good",), "<&-", ""),
            (17, ("good",), "2>&-", ""), (17, ("good",), "2>/dev/full", ""), (15, ("good", *open_with), ">&-", ""),
            (15, ("good", *open_with), ">/dev/full", ""), (15, ("--help",), ">/dev/full", ""), (2, (), "2>&-", ""),
            (2, (), "2>/dev/full", ""), (0, ("good", *open_with), "<&- 2>&-", '"alice"\n}\n')):
        done = run(*arguments, redirected=redirected)
        printed = done.stdout.endswith(out) if out else done.stdout == ""
        if done.returncode != code or not printed or "Traceback" in done.stderr:
            yield f"{arguments} {redirected}: ended with {done.returncode}, not {code}: {done.stdout}{done.stderr}"
    if not run("text", "--explain").stdout.endswith("answer: notAVault\n"):
        yield "--explain says nothing of a file that is refused"
    if "answer" in run("large", "--explain", memory=120 << 20).stdout:
        yield "--explain has an answer though the memory was not enough"
    if json.loads(run("good", *open_with).stdout) != {"n": 7, "token": "s3cr3t", "user": "alice"}:
        yield "other settings printed"
    lines = run("good", "--explain", *open_with).stdout
    for line in (r"64 +4 +box_len +4112 +ok", r"72 +32 +commitment +8c16f21b[0-9a-f]+ +ok", r"32 +82 +settings +ok",
                 r"16 +8 +generation +1 +ok", r"114 +3982 +padding +ok", r"104 +4112 +box +[0-9a-f]{32} +ok",
                 "answer: success"):
        if not re.search(f"^ *{line}$", lines, re.MULTILINE):
            yield f"--explain has no line like {line}"
    for class_name, arguments in (("tampered", ("edited", *open_with)), ("notAVault", ("text",)),
                                  ("wrongPassphrase", ("good", "--passphrase-file", "wrong"))):
        if run(*arguments).stderr != f"coffer_audit: {class_name}: {vault_file.WHAT_TO_DO[class_name]}\n":
            yield f"{class_name} does not say what to do"
    bare = subprocess.run([sys.executable, "-S", coffer_audit.__file__], capture_output=True, text=True)
    if not re.fullmatch(".*python3-nacl and python3-argon2\n", bare.stderr) or bare.returncode != 1:
        yield f"without the packages: {bare.stderr}"


def check_generator():
    done = subprocess.run([sys.executable, VECTORS / "generate.py", "--check"], capture_output=True, text=True)
    if done.returncode:
        yield (done.stdout + done.stderr).strip()


def check_generator_notices(folder):
    """The generator names what is no file in place of a vector, and neither reads it nor writes through it."""
    place = pathlib.Path(folder, "generator")
    place.mkdir()
    for name in ("generate.py", "kit", "scenarios"):
        (shutil.copytree if (VECTORS / name).is_dir() else shutil.copy)(VECTORS / name, place / name)

    def run(*arguments):
        return subprocess.run([sys.executable, place / "generate.py", *arguments], capture_output=True, text=True,
                              timeout=60)

    outside, vector = place / "outside", place / "v1" / "basic"
    for name, make in (("a link", lambda: vector.symlink_to(outside)), ("a pipe", lambda: os.mkfifo(vector)),
                       ("a lost link", lambda: vector.symlink_to("nowhere")), ("a folder", vector.mkdir)):
        (place / "v1").mkdir()
        outside.write_bytes(b"as it was")
        make()
        for arguments in ((), ("--check",)):
            done = run(*arguments)
            if (done.returncode, done.stdout, done.stderr) != (1, "basic is no plain file\n", ""):
                yield f"{name}, {arguments}: ended with {done.returncode}: {done.stdout}{done.stderr}"
        if outside.read_bytes() != b"as it was" or (place / "v1" / "nowhere").exists():
            yield f"{name} was written through"
        shutil.rmtree(place / "v1")
    (place / "v1").symlink_to(folder)
    for arguments in ((), ("--check",)):
        done = run(*arguments)
        if (done.returncode, done.stdout, done.stderr) != (1, "v1 is no folder\n", ""):
            yield f"a link for v1, {arguments}: ended with {done.returncode}: {done.stdout}{done.stderr}"
    (place / "v1").unlink()
    done = run("--check")
    if done.returncode != 1 or "basic is missing" not in done.stdout.splitlines() or done.stderr:
        yield f"no v1: ended with {done.returncode}: {done.stderr}"
    (place / "v1").mkdir()
    vector.hardlink_to(outside)
    (place / "v1" / "a\nb").write_bytes(b"")
    done = run("--check")
    if not {"basic differs", "'a\\nb' is not made by the generator"} <= {*done.stdout.splitlines()}:
        yield "does not name a file that differs, and one too many, in a line each"
    if run().returncode or outside.read_bytes() != b"as it was" or run("--check").returncode:
        yield "a second name of a file: does not write its own, or writes through"


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, least in FOLDERS.items():
            case(name, check_folder, VECTORS / name, least)
            for path in sorted((VECTORS / name).rglob("*")):
                case(f"{name}/{path.name}", check_vector, path, folder)
        case("sums", check_sums, VECTORS)
        case("the check of sums", check_sums_notice, folder)
        case("the generator", check_generator)
        case("the generator's folder", check_generator_notices, folder)
        text = (ROOT / "Sources/Coffer/Coffer.docc/FileFormat.md").read_text()
        source = "".join(pathlib.Path(module.__file__).read_text() for module in (vault_file, encoder))
        case("the article's code blocks", article.check_blocks, text)
        case("the article's tables", article.check_tables, text, WORDS, source)
        case("the reader of vectors", check_strictness)
        case("history", check_history)
        case("flips", check_flips)
        case("robustness", check_robustness)
        case("the tool", check_tool, folder)
        case("reading", check_reading, folder)
    print(f"{results['passed']} passed, {results['failed']} failed")
    return 1 if results["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
