"""Recomputes the examples of FileFormat.md: every code block, and the tables that hold numbers."""

import hashlib
import re

import coffer_audit
from property_list import Date, encode
from vault_file import (
    B, Decoder, argon2id, crypto_scalarmult, crypto_scalarmult_base, fingerprint_of, kdf_block, make_code,
    make_plaintext, make_slot, pad, parse_code, recipient_keys, seal, slot_key)

LISTS = (  # "Worked examples"
    {"n": 7, "token": "s3cr3t", "user": "alice"},
    {"a": [True, "\u00e9"], "b": {"": -1}, "c": 1.5},
    {"at": Date(0.5), "z": "sixteen letters!", "\ue000": 300, "\U0001f511": bytes(range(15))},
)
SALT, RANDOM32, VAULT_ID = bytes(range(16)), bytes(range(0x80, 0xA0)), bytes(range(0x30, 0x40))
PASSPHRASE = b"correct horse battery staple"
SEED, SLOT_RANDOM32, OWNER = bytes(range(0x40, 0x50)), b"\x22" * 32, hashlib.sha256(b"owner").digest()
FORMULAS = re.compile(r"^(master  |owner_sk     = `owner`|recipient_sk = B|checksum = first|D = B|vector =)")
# What a label of a byte table says of the number beside it.
NUMBER = re.compile(
    r"(?:(?:version|header_len|kdf|cipher|flags|ops|mem|box_len|slot_count|reserved|generation|settings_len"
    r"|metadata_len|type|length)|(?:table|objects):) ([\d,]+)")


def expected():
    """The byte tables and values of each section that has some."""
    master = argon2id(PASSPHRASE, SALT, 1, 8_192)
    plaintext = make_plaintext(VAULT_ID, 1, encode(LISTS[0]))
    block = kdf_block(1, 8_192, SALT)
    basic = seal(master, block, [], plaintext, RANDOM32)
    d = Decoder(basic).open(PASSPHRASE)
    recipient_sk, recipient_pk = recipient_keys(SEED)
    owner_pk = crypto_scalarmult_base(OWNER)
    slot = make_slot(OWNER, recipient_pk, master, SLOT_RANDOM32)
    eph_sk = B("coffer1-slote", SLOT_RANDOM32 + master + recipient_pk, key=OWNER)
    eph_pk = crypto_scalarmult_base(eph_sk)
    shared = crypto_scalarmult(recipient_sk, eph_pk), crypto_scalarmult(recipient_sk, owner_pk)
    fingerprint = fingerprint_of(owner_pk)
    checksum = B("coffer1-code", SEED + fingerprint, n=16)[:3]
    ages = B("coffer1-ages", encode(LISTS[0]), n=16)
    times = b"".join(time.to_bytes(8, "little") for time in (1_700_000_000_000, 0, 1_700_000_000_001))
    tables = {"Example": [basic, plaintext], "Worked examples": [encode(value) for value in LISTS],
              "Worked recovery code and slot": [slot]}
    values = {
        "Example": {"passphrase": PASSPHRASE, "random32": RANDOM32, "KDF block": block, "master": master,
                    "commitment": d.commitment, "nonce": d.fields["nonce"], "K": d.sealing_key, "check": basic[-32:]},
        "Metadata": {"D": ages, "modified": ages + times},
        "Worked recovery code and slot": {
            "seed": SEED, "fingerprint": fingerprint, "checksum": checksum, "raw": SEED + fingerprint + checksum,
            "recipient_sk": recipient_sk, "recipient_pk": recipient_pk, "owner_sk": OWNER, "owner_pk": owner_pk,
            "random32": SLOT_RANDOM32, "master": master, "eph_sk": eph_sk, "eph_pk": eph_pk, "shared_eph": shared[0],
            "shared_owner": shared[1], "k": slot_key(*shared, owner_pk, eph_pk, recipient_pk), "box": slot[68:]},
    }
    digests = {"Example": hashlib.sha256(basic).hexdigest()}
    codes = {"Worked recovery code and slot": make_code(SEED, fingerprint)}
    return tables, values, digests, codes


def check_bytes(block, data):
    """A table of offset, bytes and label; `…` stands for bytes that are not shown, after none or some that are."""
    rows = [re.fullmatch(r"(\d+) +((?:[0-9a-f]{2} )*[0-9a-f]{2}|…)(?:  +(.*))?", line) for line in block[1:]]
    if not all(rows):
        yield f"a line is no row of a byte table: {block[1 + rows.index(None)]}"
        return
    place, objects = 0, 0
    for row, following in zip(rows, [int(row[1]) for row in rows[1:]] + [len(data)]):
        shown = row[2] == "…" or bytes.fromhex(row[2])
        width = following - int(row[1]) if shown is True else len(shown)
        if int(row[1]) != place or place + width != following:
            yield f"offset {row[1]} where {place} would be, or {following} after it"
        if shown is not True and data[place:place + width] != shown:
            yield f"offset {place}: {row[2]}, computed {data[place:place + width].hex(' ')}"
        if said := NUMBER.search(row[3] or ""):
            if number(said[1]) != int.from_bytes(data[place:place + width], "big" if ":" in said[0] else "little"):
                yield f"offset {place}: the label says {said[1]}"
        if thing := re.match(r"(\d+): (?:.*?objects? (.*))?", row[3] or ""):  # of a list, with what it refers to
            references = [int(digits) for digits in re.findall(r"\d+", thing[2] or "")]
            if int(thing[1]) != objects or references and references != list(data[place + 1:following]):
                yield f"offset {place}: {row[3]}"
            objects += 1
        if size := re.search(r"([\d,]+) (?:bytes of ciphertext|zeros|bytes of the first)", row[3] or ""):
            if number(size[1]) != width:
                yield f"offset {place}: {size[0]}, there are {width}"
        place = following


def check_blocks(text):
    tables, values, digests, codes = expected()
    section, inside, block, found, before = "", False, [], {name: {} for name in values}, ""
    for line in text.splitlines():
        if line.startswith("#") and not inside:
            section = line.strip("# ")
        elif line.startswith("```") and inside:
            inside = False
            if block[0].startswith("offset  bytes"):
                if not tables.get(section):
                    yield f"{section}: a byte table that nothing checks"
                    continue
                data = tables[section].pop(0)
                yield from (f"{section}: {problem}" for problem in check_bytes(block, data))
                size = re.search(r"([\d,]+) bytes:$", before)
                if size and number(size[1]) != len(data):
                    yield f"{section}: {before}"
            elif block[0].startswith('B(label = "coffer-check"'):
                yield from check_primitive(" ".join(block))
            elif all(re.fullmatch(r"[\w ]+? += [0-9a-f]+", part) for part in block):
                for part in block:
                    name, _, value = part.partition("=")
                    found.setdefault(section, {})[name.strip()] = value.strip()
            elif not FORMULAS.match(block[0]):
                yield f"{section}: a block that nothing checks: {block[0]}"
        elif line.startswith("```"):
            inside, block = True, []
        elif inside:
            block.append(line)
        else:
            before = line or before
            for digest in re.findall(r"`([0-9a-f]{64})`", line):
                if digests.pop(section, None) != digest:
                    yield f"{section}: another digest than {digest}"
            for code in re.findall(r"`(COFFER1(?:-[0-9A-Z]{4}){14})`", line):
                if codes.pop(section, None) != code or parse_code(code.encode())[0] != SEED:
                    yield f"{section}: another code than {code}"
    for name in found.keys() | values.keys():
        computed = {key: value.hex() for key, value in values.get(name, {}).items()}
        for key in computed.keys() | found[name].keys():
            if computed.get(key) != found[name].get(key):
                yield f"{name}: {key} is {found[name].get(key)}, computed {computed.get(key)}"
    for name, left in ((*tables.items(), *digests.items(), *codes.items())):
        if left:
            yield f"{name}: an example is missing"


def check_primitive(block):
    call = r'B\(label = "([^"]+)", data = (\w+), (?:key = none, )?n = (\d+)(?:, +key = (\w+))?\) = (\w+)'
    examples = re.findall(call, block)
    if len(examples) != 2:
        yield "Primitives: not two examples of B"
    for label, data, n, key, wanted in examples:
        if B(label, bytes.fromhex(data.replace("none", "")), bytes.fromhex(key), int(n)).hex() != wanted:
            yield f"Primitives: B of {label} is not {wanted}"


def rows_after(text, head):
    """The cells of the table with this first line."""
    lines = text[text.index(head):].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def number(cell):
    return int(cell.replace(",", ""))


def check_tables(text, words, source):
    for length, x, padded, zeros, size, note in rows_after(text, "| settings_len | x |"):
        computed = 32 + number(length), pad(number(x)), pad(number(x)) - number(x), 72 + 64 + 16 + pad(number(x))
        if (number(x), number(padded), number(zeros), number(size)) != computed:
            yield f"padding of {length}: {x}, {padded}, {zeros}, {size}, computed {computed}"
        if multiple := re.search(r"e = (\d+): a multiple of ([\d,]+)", note):
            step = pad(pad(number(x)) + 1) - pad(number(x))
            if number(x).bit_length() - 1 != int(multiple[1]) or step != number(multiple[2]):
                yield f"padding of {length}: {note}"
    sizes, x = set(), 1
    while x <= 67_108_864:
        sizes.add(pad(x))
        x = pad(x) + 1
    if f"There are {len(sizes)} sizes" not in text:
        yield f"there are {len(sizes)} sizes of the padding"
    if f"{72 + 64 + 16 + pad(1):,} at least, {4_096 + 64 + 16 + max(sizes):,} at most" not in " ".join(text.split()):
        yield "another least or largest size"
    labels = {row[0].strip("`"): row[3] for row in rows_after(text, "| label | purpose |")}
    used = dict.fromkeys(re.findall(r'"(coffer1?-[a-z]+)"', source))
    if labels.keys() != used.keys():
        yield f"labels of the article and not of the code, or the other way round: {labels.keys() ^ used.keys()}"
    codes = {name: int(row[0]) for row in rows_after(text, "| code | class |") for name in row[1].split(", ") if name}
    for name, code in coffer_audit.EXIT_CODES.items():
        if codes.get(name) != code:
            yield f"exit code of {name}: {codes.get(name)}"
    there = re.findall(r"`([a-z0-9-]+)`", " ".join(row[0] for row in rows_after(text, "| word | value |")))
    if there != list(words):
        yield f"the words of vectors are others, or in another order: {there}"
    yield from check_freshness(rows_after(text, "| what is opened | answer |"))


def check_freshness(rows):
    """The example of "Freshness": the answer to each opening."""
    known = {"path_id": b"v", "vault_id": b"v", "generation": 5, "check": b"c" * 32, "commitment": b"A",
             "replaced": [b"Z"]}
    for opened, answer, _ in rows:
        generation = re.search(r"generation (\d+)", opened)
        d = Decoder(known["check"] if "check c" in opened else b"d" * 32, go_on=True)
        d.vault_id = opened[0].encode()
        d.generation = int(generation[1]) if generation else 5
        named = re.search(r"commitment ([A-Z])", opened)
        d.commitment = named[1].encode() if named else b"A"
        d.judge_freshness(known if " at p" in opened else {**known, "path_id": d.vault_id}, "by code" in opened)
        if (d.answer.failure if d.answer else "success") != answer.strip("`"):
            yield f"freshness: {opened}: {answer}, computed {d.answer}"
    if len(rows) < 8:
        yield "freshness: an example is missing"
