"""The Coffer vault format, version 1: from the bytes of a file to its settings.

Written from the format alone; shares no code with the Swift sources. Keeps secrets in ordinary memory.
"""

import hashlib
import os
import stat
import struct

import argon2.exceptions
import argon2.low_level
import nacl.bindings
import nacl.exceptions

from property_list import Refused, decode

MAGIC = b"\x89COFR\r\n\x1a"
LARGEST_FILE = 67_113_040


def blake2b(label, data, key, size):
    return hashlib.blake2b(data, digest_size=size, key=key, person=label.encode().ljust(16, b"\0")).digest()


def pad(x):
    if x <= 65_536:
        return max(4_096, 1 << (x - 1).bit_length())
    e = x.bit_length() - 1
    step = 1 << (e - e.bit_length())
    return -(-x // step) * step


def is_name(name):
    return 1 <= len(name.encode()) <= 1_024 and all(ord(c) > 0x1F and not 0x7F <= ord(c) <= 0x9F for c in name)


def check_metadata(metadata, settings, settings_bytes):
    def need(condition, key):
        if not condition:
            raise Refused("invalidContents", f"metadata: {key}")

    def is_integer(value):
        return isinstance(value, int) and not isinstance(value, bool)

    if "modified" in metadata:
        ages = metadata["modified"]
        need(isinstance(ages, bytes) and len(ages) >= 16, "modified")
        if ages[:16] == blake2b("coffer1-ages", settings_bytes, b"", 16):
            need(len(ages) == 16 + 8 * len(settings), "modified")
    for key in ("removed", "previous"):
        entries = metadata.get(key, {})
        need(isinstance(entries, dict) and all(map(is_name, entries)), key)
        for entry in entries.values():
            if key == "previous":
                need(isinstance(entry, dict) and "saved" in entry and "value" in entry, key)
                entry = entry["saved"]
            need(is_integer(entry), key)
    if "owner" in metadata:
        need(isinstance(metadata["owner"], bytes) and len(metadata["owner"]) == 32, "owner")
    if "recipients" in metadata:
        people = metadata["recipients"]
        need(isinstance(people, list) and len(people) <= 16 and "owner" in metadata, "recipients")
        for person in people:
            need(isinstance(person, dict), "recipients")
            key, label = person.get("key"), person.get("label")
            need(isinstance(key, bytes) and len(key) == 32 and isinstance(label, str) and is_name(label), "recipients")
        need(len({person["key"] for person in people}) == len(people), "recipients")


def history(opened):
    """What the metadata say of the settings' past, as far as a reader takes it for true."""
    metadata, names = opened["metadata"] or {}, sorted(opened["settings"], key=str.encode)
    ages = metadata.get("modified", b"")
    known = ages[:16] == blake2b("coffer1-ages", opened["settings_bytes"], b"", 16)
    times = struct.unpack(f"<{len(names)}q", ages[16:]) if known else [0] * len(names)
    removed = metadata.get("removed", {})
    return {
        "current": known,
        "modified": {name: time if time > 0 else None for name, time in zip(names, times)},
        "removed": {name: time for name, time in removed.items() if name not in opened["settings"]},
        "previous": metadata.get("previous", {}) if known else {},
    }


FIELDS = (  # name, offset, size; numbers are little-endian
    ("magic", 0, 8), ("version", 8, 2), ("header_len", 10, 2), ("kdf", 12, 1), ("cipher", 13, 1), ("flags", 14, 2),
    ("ops", 16, 4), ("mem", 20, 4), ("salt", 24, 16), ("nonce", 40, 24), ("box_len", 64, 4), ("slot_count", 68, 2),
    ("reserved", 70, 2),
)
AS_BYTES = {"magic", "salt", "nonce"}


def header_fields(file):
    values = {name: file[at:at + size] for name, at, size in FIELDS}
    return {n: v if n in AS_BYTES else int.from_bytes(v, "little") for n, v in values.items()}


def with_check(file):
    """The file with its last 32 bytes made to fit the rest: anyone can do that."""
    return file[:-32] + blake2b("coffer-check", file[:-32], b"", 32)


def read_file(path):
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Refused("noVault", path) from None
    except OSError as error:
        raise Refused("ioError", f"open {path}: {error.strerror}") from None
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Refused("ioError", f"{path} is not a regular file")
        return file.read(LARGEST_FILE + 1)


def parse(file):
    """Steps 1 to 6 of the reading order. Returns the fields and the slots as (type, data)."""
    if file[:8] != MAGIC:
        raise Refused("notAVault")
    if len(file) < 42:
        raise Refused("damaged", "too short")
    version = int.from_bytes(file[8:10], "little")
    if len(file) > LARGEST_FILE:
        raise Refused("limitExceeded" if version == 1 else "unsupportedVersion", "size")
    if with_check(file) != file:
        raise Refused("damaged", "the check does not fit")
    if version != 1:
        raise Refused("unsupportedVersion", str(version))
    if len(file) < 104:
        raise Refused("damaged", "too short")
    h = header_fields(file)
    for name, known in (("kdf", 1), ("cipher", 1), ("flags", 0), ("reserved", 0)):
        if h[name] != known:
            raise Refused("unsupportedFeature", f"{name} is {h[name]}")
    limits = (
        ("ops", h["ops"], 1, 16), ("mem", h["mem"], 8_192, 1_048_576), ("ops*mem", h["ops"] * h["mem"], 0, 4_194_304),
        ("header_len", h["header_len"], 0, 4_096), ("slot_count", h["slot_count"], 0, 16),
        ("box_len", h["box_len"], 16 + 4_096, 16 + 67_108_864),
    )
    for name, value, least, most in limits:
        if not least <= value <= most:
            raise Refused("limitExceeded", f"{name} is {value}, allowed are {least} to {most}")
    end = h["header_len"]
    if end < 72 or len(file) != end + 64 + h["box_len"]:
        raise Refused("damaged", "sizes do not fit")
    slots, at = [], 72
    for _ in range(h["slot_count"]):
        if at + 4 > end:
            raise Refused("damaged", "slots pass the header")
        kind, size = struct.unpack_from("<HH", file, at)
        if at + 4 + size > end or (kind == 1 and size != 112):
            raise Refused("damaged", "a slot of a wrong length")
        slots.append((kind, file[at + 4:at + 4 + size]))
        at += 4 + size
    if at != end:
        raise Refused("damaged", "slots do not end with the header")
    return h, slots


def commitment(file, master):
    return blake2b("coffer1-commit", file[12:40], master, 32)


def master_from_passphrase(file, h, passphrase):
    if not 1 <= len(passphrase) <= 1_024:
        raise Refused("refused", "a passphrase has 1 to 1,024 bytes")
    try:
        return argon2.low_level.hash_secret_raw(
            passphrase, h["salt"], h["ops"], h["mem"], 1, 32, argon2.low_level.Type.ID, 19)
    except (MemoryError, argon2.exceptions.HashingError) as error:
        raise Refused("notEnoughMemory", str(error)) from None


def master_from_code(file, slots, seed, fingerprint):
    secret = blake2b("coffer1-recover", seed, b"", 32)
    public = nacl.bindings.crypto_scalarmult_base(secret)
    stored = file[int.from_bytes(file[10:12], "little"):][:32]
    for kind, data in slots:
        owner, ephemeral, box = data[:32], data[32:64], data[64:]
        if kind != 1 or blake2b("coffer1-owner", owner, b"", 16) != fingerprint:
            continue
        try:
            shared = b"".join(nacl.bindings.crypto_scalarmult(secret, point) for point in (ephemeral, owner))
            key = blake2b("coffer1-slotk", shared + owner + ephemeral + public, b"", 32)
            master = nacl.bindings.crypto_secretbox_open(box, bytes(24), key)
        except (nacl.exceptions.CryptoError, RuntimeError):
            continue
        if commitment(file, master) == stored:
            return master
    raise Refused("noMatchingSlot")


def sealing_key(file, h, master):
    return blake2b("coffer1-seal", file[:h["header_len"] + 32], master, 32)


def open_vault(file, passphrase=None, code=None):
    """Reads a whole vault with a passphrase (bytes) or a code (seed, fingerprint), as the reading order says."""
    h, slots = parse(file)
    end = h["header_len"]
    if code:
        master = master_from_code(file, slots, *code)
    else:
        master = master_from_passphrase(file, h, passphrase)
        if commitment(file, master) != file[end:end + 32]:
            raise Refused("wrongPassphrase")
    key = sealing_key(file, h, master)
    try:
        plain = nacl.bindings.crypto_secretbox_open(file[end + 32:-32], h["nonce"], key)
    except nacl.exceptions.CryptoError:
        raise Refused("tampered") from None
    vault_id, generation, settings_len, metadata_len = struct.unpack_from("<16sQII", plain)
    used = 32 + settings_len + metadata_len
    if not 1 <= generation < 1 << 63 or settings_len == 0 or pad(used) != len(plain) or any(plain[used:]):
        raise Refused("invalidContents", "inner header or padding")
    settings_bytes = plain[32:32 + settings_len]
    settings = decode(settings_bytes, 32)
    metadata = decode(plain[32 + settings_len:used], 34) if metadata_len else None
    if not all(map(is_name, settings)):
        raise Refused("invalidContents", "a name that is not allowed")
    check_metadata(metadata or {}, settings, settings_bytes)
    return {"header": h, "master": master, "seal_key": key, "commit": file[end:end + 32], "vault_id": vault_id,
            "generation": generation, "settings": settings, "settings_bytes": settings_bytes, "metadata": metadata,
            "inner": plain[:32]}


def parse_code(text):
    """A recovery code as (seed, fingerprint)."""
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    # Only ASCII letters change case: a few other letters would become ASCII ones.
    letters = [c.upper() if c.isascii() else c for c in text if c not in " \t\n\v\f\r-"]
    as_digits = "".join({"I": "1", "L": "1", "O": "0"}.get(c, c) for c in letters)
    if not as_digits.startswith("C0FFER1") or len(as_digits) != 7 + 56 or set(as_digits[7:]) - set(alphabet):
        raise Refused("refused", "not a recovery code")
    number = 0
    for letter in as_digits[7:]:
        number = number << 5 | alphabet.index(letter)
    raw = number.to_bytes(35, "big")
    if blake2b("coffer1-code", raw[:32], b"", 16)[:3] != raw[32:]:
        raise Refused("refused", "a mistyped recovery code")
    return raw[:16], raw[16:32]
